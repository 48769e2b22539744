import type { BindValue } from '../../../../platform/clickhouse/index.js';
import type { Parameters } from '../../../../platform/database/parameters.js';
import type { Place } from './cursor.js';

/** The same conditions on events in both engines, each with ` AND ` before it. */
export interface CopiedConditions {
  postgres(parameters: Parameters): string;
  clickHouse(bind: BindValue): string;
  /** True wherever the others are, and asked first for the sake of its index there. */
  indexed?(bind: BindValue): string;
  /** Asking them of a row takes longer than reading it. */
  readonly areCostly?: boolean;
}

export interface AskedPlaces {
  /** All times, where it is left out. */
  readonly window?: { readonly from: Date; readonly to: Date };
  /** Strictly older than it. */
  readonly before?: Place | null;
  readonly conditions?: CopiedConditions;
  readonly limit: number;
  readonly offset?: number;
}

/** Events that are strictly older than a place, with ` AND ` before it. The timestamp alone lets partitions be left out. */
export function olderThan(place: Place | null | undefined, { bind }: Pick<Parameters, 'bind'>): string {
  if (!place) return '';
  const instant = bind(place.timestamp);
  return ` AND "timestamp" <= ${instant} AND ("timestamp", id) < (${instant}, ${bind(place.id)})`;
}
