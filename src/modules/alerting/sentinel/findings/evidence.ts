/** How a bucket was judged; null: it was not, and only what happened is known. */
export interface EvidencePoint {
  /** ISO 8601, the beginning of the bucket. */
  readonly ts: string;
  readonly actual: number | null;
  readonly expected: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  /** The finding goes on in it. */
  readonly is_anomalous: boolean;
}

/** What had more, or less, of it than usual. */
export interface Contributor {
  readonly field: 'event' | 'source_id';
  readonly value: string;
  /** Of the bucket's events, and of those that are expected. */
  readonly share: number;
  readonly usual_share: number;
}

/** Why something was told (DECISIONS 18), as it was when the finding opened. What comes behind that is not written into it. */
export interface Evidence {
  readonly interval_seconds: number;
  /** Up to the bucket that opened the finding. */
  readonly points: readonly EvidencePoint[];
  readonly baseline: {
    readonly from_ts: string;
    readonly to_ts: string;
    /** Buckets of history. */
    readonly samples: number;
    readonly method: 'hour_of_week' | 'recent';
  };
  readonly sample_event_ids: readonly string[];
}

export const MOST_POINTS = 300;
/** Buckets of evidence before the first and behind the last of a finding. */
export const POINTS_BEFORE = 24;
export const POINTS_BEHIND = 12;
export const MOST_CONTRIBUTORS = 5;
export const MOST_SAMPLES = 5;
