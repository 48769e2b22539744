import { type BucketCoverage, bucketCoverageOf } from '../totals/bucket-coverage.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { ZonedBuckets } from '../totals/zoned-buckets.js';
import type { AggregationQuery } from './aggregation-query.js';

/** A window with its buckets. */
export interface BucketedWindow {
  readonly window: TimeWindow;
  readonly buckets: ZonedBuckets;
}

/** The buckets of a window and of the previous window, numbered together from 0. */
export class BucketLayout {
  /** The number of the first bucket of the window. */
  readonly first: number;
  /** The start of each bucket in the {@link span}. */
  readonly starts: readonly Date[];
  /** The range that covers both windows. */
  readonly span: TimeWindow;

  constructor(
    private readonly now: BucketedWindow,
    private readonly before: BucketedWindow | null,
  ) {
    this.first = before?.buckets.starts.length ?? 0;
    // The first bucket starts at the window, not at its hour: earlier events of that hour belong to the previous
    // window.
    const [, ...others] = now.buckets.starts;
    this.starts = [...(before?.buckets.starts ?? []), now.window.from, ...others];
    this.span = { from: before?.window.from ?? now.window.from, to: now.window.to };
  }

  coverage(now: Date): BucketCoverage {
    const before = this.before === null ? null : bucketCoverageOf(this.before.buckets, this.before.window, now);
    const { hours, edges } = bucketCoverageOf(this.now.buckets, this.now.window, now);
    const later = <T extends { readonly bucket: number }>(part: T): T => ({
      ...part,
      bucket: part.bucket + this.first,
    });
    return {
      hours: [...(before?.hours ?? []), ...hours.map(later)],
      edges: [...(before?.edges ?? []), ...edges.map(later)],
    };
  }
}

/** Returns the window as one bucket, after the previous window as another bucket. */
export function wholeWindows({ window, before }: AggregationQuery): BucketLayout {
  const whole = (of: TimeWindow): BucketedWindow => ({ window: of, buckets: { interval: 'week', starts: [of.from] } });
  return new BucketLayout(whole(window), before === null ? null : whole(before));
}
