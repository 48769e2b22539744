import type { Bucket } from '../baseline/buckets.js';
import { type Profile, usualAt, weeksOf } from '../baseline/profile.js';
import { atLeast, atMost } from '../baseline/tails.js';
import { type Track, valueOf } from '../baseline/track.js';
import { type Assessment, assessed, distance, type Raised, UNLIKELY } from './assessment.js';

const SPIKE = { found: 10, normal: 3, events: 50, critical: 30 } as const;
const DROP = { buckets: 3, found: 0.2, normal: 0.5, events: 60, least: 20 } as const;
/** A number of events is usual up to this many times what was seen before. */
const SEEN_ROOM = 1.5;
/** The band extends this many standard deviations to both sides of the expected number. */
const BAND = 4;

/** Returns the expected number of events of a bucket, and the band around it that evidence shows. */
export function expectationOf(profile: Profile, bucket: Bucket): { expected: number; lower: number; upper: number } {
  const [high, low] = [usualAt(profile, 'high', bucket), usualAt(profile, 'low', bucket)];
  const spread = usualAt(profile, 'spread', bucket);
  const scale = BAND * Math.max(spread, Math.sqrt(Math.max(high, 1) * profile.dispersion));
  return {
    expected: (high + low) / 2,
    lower: Math.max(low * DROP.normal, low - scale),
    upper: high + Math.min(scale, Math.max(high * (SPIKE.normal - 1), BAND)),
  };
}

/** Detects `rate_spike`: many more events than expected in one bucket. */
export function assessSpike(track: Track, profile: Profile, bucket: Bucket, raised: Raised): Assessment {
  const actual = valueOf(track, 'events', bucket);
  const expected = usualAt(profile, 'high', bucket);
  // When next to nothing is expected, the number of events decides.
  const least = Math.max(expected, SPIKE.events / SPIKE.found);
  const { lower, upper } = expectationOf(profile, bucket);
  const base = {
    severity: actual >= SPIKE.critical * least ? 'critical' : 'warning',
    score: distance(actual, expected),
    actual,
    expected,
    lower,
    upper,
  } as const;
  const isSeen = actual <= SEEN_ROOM * usualAt(profile, 'seen', bucket);
  if (isSeen || actual < SPIKE.normal * raised * least) return assessed('normal', base);
  if (actual < SPIKE.events * raised) return assessed('unusual', base);
  if (actual >= SPIKE.found * raised * expected) return assessed('told', base);
  const isUnlikely = weeksOf(profile) >= 1 && atLeast(actual, expected, profile.dispersion) < UNLIKELY;
  return assessed(isUnlikely ? 'candidate' : 'unusual', base);
}

/** Detects `rate_drop`: far fewer events than expected in three buckets together. */
export function assessDrop(track: Track, profile: Profile, bucket: Bucket, raised: Raised): Assessment {
  let [actual, expected] = [0, 0];
  for (let one = bucket - DROP.buckets + 1; one <= bucket; one++) {
    actual += valueOf(track, 'events', one);
    expected += usualAt(profile, 'low', one);
  }
  const { lower, upper } = expectationOf(profile, bucket);
  const base = {
    severity: 'warning',
    score: expected <= actual ? 0 : distance(actual, expected),
    actual: valueOf(track, 'events', bucket),
    expected: usualAt(profile, 'low', bucket),
    lower,
    upper,
  } as const;
  if (expected < DROP.least * raised || actual >= (expected * DROP.normal) / raised) return assessed('normal', base);
  if (expected >= DROP.events * raised && actual <= (expected * DROP.found) / raised) return assessed('told', base);
  const isUnlikely = weeksOf(profile) >= 1 && atMost(actual, expected, profile.dispersion) < UNLIKELY;
  return assessed(isUnlikely ? 'candidate' : 'unusual', base);
}
