import type { Bucket } from './buckets.js';

/** What happened in a series, bucket by bucket. */
export interface Track {
  /** The bucket of the first value. */
  readonly first: Bucket;
  readonly events: Int32Array;
  readonly errors: Int32Array;
  /** Events that carry a latency. */
  readonly measured: Int32Array;
  /** 95th percentile of their latencies in milliseconds; -1 where nothing was measured. */
  readonly p95: Int32Array;
}

type Metric = 'events' | 'errors' | 'measured' | 'p95';

/** The value of a bucket; outside of the track nothing happened. */
export function valueOf(track: Track, metric: Metric, bucket: Bucket): number {
  return track[metric][bucket - track.first] ?? (metric === 'p95' ? -1 : 0);
}

/** The first bucket behind the track. */
export function endOf({ first, events }: Track): Bucket {
  return first + events.length;
}
