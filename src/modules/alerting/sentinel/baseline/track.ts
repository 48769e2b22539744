import type { Bucket } from './buckets.js';

/** The figures of a series, bucket by bucket. */
export interface Track {
  /** The bucket of the first value. */
  readonly first: Bucket;
  readonly events: Int32Array;
  readonly errors: Int32Array;
  /** Events that carry a latency. */
  readonly measured: Int32Array;
  /** The p95 of the measured latencies in milliseconds; -1 when nothing was measured. */
  readonly p95: Int32Array;
}

type Metric = 'events' | 'errors' | 'measured' | 'p95';

/** Returns the value of a bucket. Outside of the track nothing happened. */
export function valueOf(track: Track, metric: Metric, bucket: Bucket): number {
  return track[metric][bucket - track.first] ?? (metric === 'p95' ? -1 : 0);
}

/** Returns the first bucket after the track. */
export function endOf({ first, events }: Track): Bucket {
  return first + events.length;
}
