import { type BucketCoverage, bucketCoverageOf } from '../totals/bucket-coverage.js';
import type { TimeWindow } from '../totals/coverage.js';
import type { ZonedBuckets } from '../totals/zoned-buckets.js';
import type { Question } from './question.js';

/** A window in buckets. */
export interface Divided {
  readonly window: TimeWindow;
  readonly buckets: ZonedBuckets;
}

/** A window in buckets, and before it the window that it is compared with, numbered together from 0. */
export class Division {
  /** The number of the first bucket of the window itself. */
  readonly first: number;
  /** Where each bucket begins, for what lies in the {@link span}. */
  readonly starts: readonly Date[];
  /** Both windows. */
  readonly span: TimeWindow;

  constructor(
    private readonly now: Divided,
    private readonly before: Divided | null,
  ) {
    this.first = before?.buckets.starts.length ?? 0;
    // What lies before the window is of the window before, though it may be of the same hour.
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

/** The window of a question as one bucket, after the window before as another. */
export function wholeWindows({ window, before }: Question): Division {
  const whole = (of: TimeWindow): Divided => ({ window: of, buckets: { interval: 'week', starts: [of.from] } });
  return new Division(whole(window), before === null ? null : whole(before));
}
