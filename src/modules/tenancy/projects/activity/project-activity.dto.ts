import { IntField, ListField, nested } from '../../../../platform/http/validation/index.js';
import { PageResponse } from '../../../../platform/http/page.dto.js';
import { AuditEventResponse } from '../../../identity/audit/index.js';

export class ActivityQuery {
  @IntField({ min: 1, max: 500, optional: true, default: 50, description: 'How many a page has at most' })
  limit!: number;

  @IntField({ min: 0, optional: true, default: 0, description: 'How many came before this page' })
  offset!: number;
}

export class ActivityResponse extends PageResponse {
  @ListField(nested(() => AuditEventResponse), { description: 'What was done, of this page' })
  items!: AuditEventResponse[];
}
