import type { ProjectId } from '../../../access/index.js';
import type { Coverage } from './coverage.js';
import type { Dimension, EventFilter } from './event-filter.js';

/** What is counted, for one statement. */
export interface Count {
  readonly projectId: ProjectId;
  readonly coverage: Coverage;
  readonly now: Date;
  readonly filter: EventFilter;
  /** Columns of the result beside `events` and `errors`. */
  readonly dimensions: readonly Dimension[];
  /** Only events that have a value of each dimension. */
  readonly named?: true | undefined;
  /** Adds the column `bucket`, the UTC beginning of it. Minutes are in no rollup: for them the coverage has no hours. */
  readonly bucket?: Interval;
}

export const INTERVALS = ['minute', 'hour', 'day'] as const;
export type Interval = (typeof INTERVALS)[number];
