export { ID_PART, ID_PLACE, PATH_ALONE, ROUTE_PROPERTIES } from './computed-fields.js';
export {
  BROUGHT_COLUMNS,
  CONDITION_FIELDS,
  type ConditionFieldName,
  CONDITION_SQL,
  type CredentialColumn,
  type EventColumn,
  type EventRow,
  FIELD_TABLE,
  KEPT_COLUMNS,
  type NormalizedEvent,
  PROPERTY_FIELDS,
  type PropertyColumn,
  READ_COLUMNS,
  readColumnsWhere,
  SENT_FIELDS,
  type StoredEvent,
} from './event-fields.js';
export { EventRecord, IngestRequest } from './event.dto.js';
export { instantSql } from './instant-sql.js';
export { OTHER_PROPERTIES, withDoubles } from './readable-json.js';
