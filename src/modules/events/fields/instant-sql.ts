import type { BindValue } from '../../../platform/clickhouse/index.js';

/** An instant, for comparison with a column of times in ClickHouse. */
export function instantSql(at: Date, bind: BindValue): string {
  return `fromUnixTimestamp64Milli(${bind(at.getTime(), 'Int64')}, 'UTC')`;
}
