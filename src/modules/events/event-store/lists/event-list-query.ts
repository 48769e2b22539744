import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import type { Locator } from './cursor.js';

/** The same conditions on events for both stores. Each begins with ` AND `. */
export interface ClickHouseConditions {
  postgres(parameters: Pick<Parameters, 'bind'>): string;
  clickHouse(bind: BindValue): string;
  /** A necessary condition that ClickHouse checks first, because it has an index for it. */
  indexed?(bind: BindValue): string;
  /** True when evaluating the conditions on a row takes longer than reading the row. */
  readonly areCostly?: boolean;
}

export interface EventListQuery {
  /** All times when omitted. */
  readonly window?: { readonly from: Date; readonly to: Date };
  /** Only events strictly before this locator. */
  readonly before?: Locator | null;
  readonly conditions?: ClickHouseConditions;
  readonly limit: number;
  readonly offset?: number;
}

/**
 * Selects events strictly before a locator, beginning with ` AND `. The condition on the timestamp alone lets
 * PostgreSQL skip partitions.
 */
export function olderThan(locator: Locator | null | undefined, { bind }: Pick<Parameters, 'bind'>): string {
  if (!locator) return '';
  const instant = bind(locator.timestamp);
  return ` AND "timestamp" <= ${instant} AND ("timestamp", id) < (${instant}, ${bind(locator.id)})`;
}
