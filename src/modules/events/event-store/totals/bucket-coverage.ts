import { coverageOf, type Edge, type TimeWindow } from './coverage.js';
import type { ZonedBuckets } from './zoned-buckets.js';

/** Whole hours within one bucket. */
export interface BucketHours extends TimeWindow {
  /** The number of the bucket, from 0. */
  readonly bucket: number;
}

export interface BucketEdge extends Edge {
  readonly bucket: number;
}

/** The sources for counting the buckets of a window: whole hours, each at most once, and rows for the rest. */
export interface BucketCoverage {
  readonly hours: readonly BucketHours[];
  readonly edges: readonly BucketEdge[];
}

/**
 * Divides every bucket into whole hours and edges like {@link coverageOf}. Buckets are limited to the window. In zones
 * with an offset of 30 or 45 minutes a day begins within an hour. Then up to half an hour of rows is read twice: added
 * to one bucket and subtracted from the other. Minutes are always read from rows.
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
