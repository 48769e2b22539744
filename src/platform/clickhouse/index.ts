export { ClickHouse, type QuerySettings, type ReadBounds } from './clickhouse.js';
export { foldedSql } from './folded-sql.js';
export { type BindValue, StatementValues } from './statement-values.js';
export {
  isAccessDenied,
  isOfServer,
  isTooMuch,
  isWrongPassword,
  shortReason,
  SilentServer,
} from './clickhouse-errors.js';
