import { BASELINE_BUCKETS, type Bucket } from '../baseline/buckets.js';
import { type Profile, usualAt } from '../baseline/profile.js';
import { type Assessment, assessed, type Raised, type Severity } from './assessment.js';
import { expectationOf } from './rates.js';

const SILENCE = { events: 20, buckets: 3, gaps: 3 } as const;

/** Buckets in a row without events. */
export interface Gap {
  /** The first of these buckets; null when the evaluated bucket has events. */
  readonly since: Bucket | null;
}

/**
 * Detects `silence`: no event while some were expected, for longer than ever lately. The gaps of 14 days decide and not
 * the rate, because a series with events once an hour is not silent half an hour later.
 */
export function assessSilence(
  gap: Gap,
  profile: Profile,
  bucket: Bucket,
  raised: Raised,
  severity: Severity,
): Assessment {
  const { lower, upper } = expectationOf(profile, bucket);
  const score = gap.since === null ? 0 : 1;
  const base = { severity, score, actual: 0, expected: usualAt(profile, 'flow', bucket), lower, upper };
  if (gap.since === null) return assessed('normal', base);
  const isTold =
    isLong(gap, profile, bucket, raised) && expectedIn(profile, gap.since, bucket) >= SILENCE.events * raised;
  return assessed(isTold ? 'told' : 'unusual', base);
}

/**
 * Returns whether a gap is so long that the number of events expected in it decides. The profile must contain all hours
 * of the gap only in this case.
 */
export function isLong({ since }: Gap, { longestGap }: Profile, bucket: Bucket, raised: Raised = 1): boolean {
  if (since === null) return false;
  const buckets = bucket - since + 1;
  return buckets >= SILENCE.buckets * raised && buckets >= SILENCE.gaps * raised * longestGap;
}

/** @param until inclusive */
function expectedIn(profile: Profile, since: Bucket, until: Bucket): number {
  let sum = 0;
  for (let bucket = Math.max(since, until - BASELINE_BUCKETS); bucket <= until; bucket++) {
    sum += usualAt(profile, 'flow', bucket);
  }
  return sum;
}
