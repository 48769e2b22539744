import { IntField } from './fields/index.js';

/** What every page says of itself; its `items` stand in the class of the page. */
export abstract class PageResponse {
  @IntField({ min: 0, description: 'Exact, of all pages' })
  total!: number;

  @IntField({ min: 1, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, description: 'How many came before this page' })
  offset!: number;
}
