export { ClickHouse, type Insert, type QuerySettings } from './clickhouse.js';
export { isAccessDenied, isAnswered, isWrongPassword, shortReason } from './clickhouse-errors.js';
