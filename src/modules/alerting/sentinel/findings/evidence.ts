/** A bucket as it was evaluated. `expected`, `lower` and `upper` are null when the bucket was not evaluated. */
export interface EvidencePoint {
  /** The beginning of the bucket, in ISO 8601. */
  readonly ts: string;
  readonly actual: number | null;
  readonly expected: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  /** Whether the finding continues in this bucket. */
  readonly is_anomalous: boolean;
}

/** A narrower series that had a larger or smaller share of the events than usual. */
export interface Contributor {
  readonly field: 'event' | 'source_id';
  readonly value: string;
  /** The share of the events of the bucket. `usual_share` is the share of the expected events. */
  readonly share: number;
  readonly usual_share: number;
}

/** The evidence for a finding, as of its opening. The points of later buckets are stored separately. */
export interface Evidence {
  readonly interval_seconds: number;
  /** The points up to the bucket that opened the finding. */
  readonly points: readonly EvidencePoint[];
  readonly baseline: {
    readonly from_ts: string;
    readonly to_ts: string;
    /** The number of buckets of history. */
    readonly samples: number;
    readonly method: 'hour_of_week' | 'recent';
  };
  readonly sample_event_ids: readonly string[];
}

export const MOST_POINTS = 300;
/** Evidence covers this many buckets before the first bucket of a finding, and `POINTS_BEHIND` after the last one. */
export const POINTS_BEFORE = 24;
export const POINTS_BEHIND = 12;
export const MOST_CONTRIBUTORS = 5;
export const MOST_SAMPLES = 5;
