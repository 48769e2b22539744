import type { ProjectId } from '../../../access/index.js';
import type { Coverage } from './coverage.js';
import type { Dimension, EventFilter } from './event-filter.js';

/** The parameters of a count in one statement. */
export interface Count {
  readonly projectId: ProjectId;
  readonly coverage: Coverage;
  readonly now: Date;
  readonly filter: EventFilter;
  /** The columns of the result in addition to `events` and `errors`. */
  readonly dimensions: readonly Dimension[];
  /** Counts only events that have a value in each dimension. */
  readonly named?: true | undefined;
  /**
   * Adds the column `bucket` with the UTC start of the interval. No rollup has minutes, so for minutes the coverage has
   * no hours.
   */
  readonly bucket?: Interval;
}

export const INTERVALS = ['minute', 'hour', 'day'] as const;
export type Interval = (typeof INTERVALS)[number];
