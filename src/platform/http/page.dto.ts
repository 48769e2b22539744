import { IntField } from './validation/index.js';

/** The members that every page has. The class of the page declares its `items`. */
export abstract class PageResponse {
  @IntField({ min: 0, description: 'Exact, of all pages' })
  total!: number;

  @IntField({ min: 1, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, description: 'How many came before this page' })
  offset!: number;
}
