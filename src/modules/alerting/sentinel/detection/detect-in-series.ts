import { type Bucket } from '../baseline/buckets.js';
import { isLearning, type Profile } from '../baseline/profile.js';
import { type Track, valueOf } from '../baseline/track.js';
import { type Assessment, assessed, type Raised } from '../detectors/assessment.js';
import { assessErrors } from '../detectors/errors.js';
import { assessLatency } from '../detectors/latency.js';
import { assessDrop, assessSpike } from '../detectors/rates.js';
import { assessSilence } from '../detectors/silence.js';
import type { Metric, SeriesName, FindingSubject } from './finding-kinds.js';

/** One series at one bucket. */
export interface SeriesAtBucket {
  readonly series: SeriesName;
  /** The track covers at least the last three buckets, up to and including this one. */
  readonly track: Track;
  readonly profile: Profile;
  readonly bucket: Bucket;
  /** The first of the consecutive buckets without events that end with this one; null when this one has events. */
  readonly silentSince: Bucket | null;
  /**
   * The service could accept events from this bucket on. Missing events before it say nothing. Null when it always
   * could.
   */
  readonly takenSince: Bucket | null;
  readonly raised: (subject: FindingSubject) => Raised;
}

/** The result of a detector for a subject in a bucket. */
export interface Detection extends FindingSubject {
  readonly bucket: Bucket;
  /** The first bucket that the detection is about. */
  readonly since: Bucket;
  readonly assessment: Assessment;
  /**
   * Whether the detection would be reported if feedback had not raised its bounds. If so, detections of narrower series
   * still become its contributors.
   */
  readonly isTellable: boolean;
}

/** Drops and shifts of latency are evaluated over this many buckets. */
export const SEEN_IN = 3;
const KINDS = {
  project: ['rate_spike', 'rate_drop', 'silence', 'error_burst', 'latency_shift'],
  source: ['silence'],
  event: ['rate_spike', 'rate_drop', 'silence', 'error_burst'],
} as const;
type SeriesKind = (typeof KINDS)[keyof typeof KINDS][number];

const METRIC_OF: Readonly<Record<SeriesKind, Metric>> = {
  rate_spike: 'events',
  rate_drop: 'events',
  silence: 'events',
  error_burst: 'error_rate',
  latency_shift: 'p95_latency_ms',
};

/** Returns all detections of a series in a bucket, also the normal ones. Returns none while the series learns. */
export function detectInSeries(at: SeriesAtBucket): Detection[] {
  if (isLearning(at.profile, at.bucket)) return [];
  return KINDS[at.series.type].map((kind) => detectionOf(kind, at));
}

function detectionOf(kind: SeriesKind, at: SeriesAtBucket): Detection {
  const { series, bucket } = at;
  const metric = METRIC_OF[kind];
  const raised = at.raised({ kind, series, metric });
  const { since, assessment } = assess(kind, at, raised);
  const plain = raised === 1 ? assessment : assess(kind, at, 1).assessment;
  return { kind, series, metric, bucket, since, assessment, isTellable: plain.level === 'told' };
}

function assess(kind: SeriesKind, at: SeriesAtBucket, raised: Raised): Pick<Detection, 'since' | 'assessment'> {
  const { series, track, profile, bucket } = at;
  switch (kind) {
    case 'rate_spike':
      return { since: bucket, assessment: assessSpike(track, profile, bucket, raised) };
    case 'rate_drop': {
      const since = bucket - SEEN_IN + 1;
      return { since, assessment: whereTaken(at, since, assessDrop(track, profile, bucket, raised)) };
    }
    case 'silence': {
      const since = silenceOf(at);
      const severity = series.type === 'event' ? 'warning' : 'critical';
      return { since: since ?? bucket, assessment: assessSilence({ since }, profile, bucket, raised, severity) };
    }
    case 'error_burst':
      return { since: bucket, assessment: assessErrors(track, profile, bucket, raised) };
    case 'latency_shift':
      return { since: bucket - SEEN_IN + 1, assessment: assessLatency(track, profile, bucket, raised) };
  }
}

/** Events that are missing while the service accepted none keep findings open, but do not open any. */
function whereTaken({ takenSince }: SeriesAtBucket, since: Bucket, assessment: Assessment): Assessment {
  const isTold = assessment.level === 'told' || assessment.level === 'candidate';
  return isTold && takenSince !== null && since < takenSince ? assessed('unusual', assessment) : assessment;
}

/** Returns the first bucket of a silence. A silence starts over when the service can accept events again. */
function silenceOf({ track, bucket, silentSince, takenSince }: SeriesAtBucket): Bucket | null {
  if (silentSince === null || valueOf(track, 'events', bucket) > 0) return null;
  return takenSince === null ? silentSince : Math.min(bucket, Math.max(silentSince, takenSince));
}
