import type { BindValue } from '../../../platform/clickhouse/index.js';

/** Returns SQL of an instant that can be compared with a time column in ClickHouse. */
export function instantSql(at: Date, bind: BindValue): string {
  return `fromUnixTimestamp64Milli(${bind(at.getTime(), 'Int64')}, 'UTC')`;
}
