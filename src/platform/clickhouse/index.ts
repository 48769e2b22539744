export { ClickHouse, type QuerySettings } from './clickhouse.js';
export { isAccessDenied, isWrongPassword, shortReason } from './clickhouse-errors.js';
