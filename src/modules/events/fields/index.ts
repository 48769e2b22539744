export {
  BROUGHT_COLUMNS,
  type BroughtColumn,
  CONDITION_FIELDS,
  type ConditionFieldName,
  CONDITION_SQL,
  type CredentialColumn,
  type EventRow,
  PROPERTY_FIELDS,
  type PropertyColumn,
  READ_COLUMNS,
  SENT_FIELDS,
  type StoredEvent,
} from './event-fields.js';
export { EventRecord, IngestRequest } from './event.dto.js';
