import { IntField, TextField } from '../../../../../platform/http/validation/index.js';

const ATTRIBUTES = 'Names of attributes, separated by commas';
const MAX_NAMES_LENGTH = 10_000;

export class ScimProjectionQuery {
  @TextField({ optional: true, max: MAX_NAMES_LENGTH, description: `${ATTRIBUTES}: only these are answered` })
  attributes?: string;

  @TextField({ optional: true, max: MAX_NAMES_LENGTH, description: `${ATTRIBUTES}: these are left out` })
  excludedAttributes?: string;
}

export class ScimListQuery extends ScimProjectionQuery {
  @TextField({ optional: true, description: 'A filter of RFC 7644, up to 2,000 characters' })
  filter?: string;

  @IntField({ optional: true, description: 'The first resource of the page, counted from 1' })
  startIndex?: number;

  @IntField({ optional: true, description: 'Resources of the page. At most 200; 100 when left out' })
  count?: number;

  @TextField({ optional: true, max: 200, description: 'Accepted and ignored: lists are sorted by creation' })
  sortBy?: string;

  @TextField({ optional: true, max: 20, description: 'Accepted and ignored' })
  sortOrder?: string;
}
