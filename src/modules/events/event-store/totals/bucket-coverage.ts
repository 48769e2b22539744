import { coverageOf, type Edge, type TimeWindow } from './coverage.js';
import type { ZonedBuckets } from './zoned-buckets.js';

/** Whole hours of one bucket. */
export interface BucketHours extends TimeWindow {
  /** The place of the bucket, from 0. */
  readonly bucket: number;
}

export interface BucketEdge extends Edge {
  readonly bucket: number;
}

/** How the buckets of a window are counted: each hour once at most, and the rows of what hours cannot say. */
export interface BucketCoverage {
  readonly hours: readonly BucketHours[];
  readonly edges: readonly BucketEdge[];
}

/**
 * Divides every bucket, clipped by the window, into whole hours and edges as {@link coverageOf} does. Where a bucket begins
 * within an hour, as days do in zones of 30 and 45 minutes, half an hour of rows at most is read twice: added on one side
 * and taken away on the other. Minutes are read from rows.
 */
export function bucketCoverageOf({ interval, starts }: ZonedBuckets, window: TimeWindow, now: Date): BucketCoverage {
  const hours: BucketHours[] = [];
  const edges: BucketEdge[] = [];
  for (const [bucket, start] of starts.entries()) {
    const from = start < window.from ? window.from : start;
    const to = starts[bucket + 1] ?? window.to;
    const part: TimeWindow = { from, to };
    const coverage =
      interval === 'minute' ? { hours: null, edges: [{ ...part, sign: 1 as const }] } : coverageOf(part, now);
    if (coverage.hours !== null) hours.push({ ...coverage.hours, bucket });
    for (const edge of coverage.edges) edges.push({ ...edge, bucket });
  }
  return { hours, edges };
}
