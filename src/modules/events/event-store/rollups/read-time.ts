import type { ReadBounds } from '../../../../platform/clickhouse/index.js';
import type { ReadDeadline } from '../../long-reads/index.js';

/** The remaining time of a read. */
export interface ReadTime {
  readonly deadline: ReadDeadline;
  /** Ends the read. */
  readonly signal: AbortSignal;
  /** Limits the next statement of PostgreSQL to the remaining time. */
  limit(): Promise<void>;
  /** Returns the limits of the next statement of ClickHouse. */
  bounds(): ReadBounds;
}
