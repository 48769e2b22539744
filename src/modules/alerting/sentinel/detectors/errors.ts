import type { Bucket } from '../baseline/buckets.js';
import type { Profile } from '../baseline/profile.js';
import { hitsAtLeast } from '../baseline/tails.js';
import { type Track, valueOf } from '../baseline/track.js';
import { type Assessment, assessed, distance, type Raised, UNLIKELY } from './assessment.js';

const BURST = { errors: 20, least: 10, times: 5, points: 0.2, critical: 0.5 } as const;
/**
 * A bucket is normal below the usual rate plus this share of `BURST.points`. From there on, an open finding continues.
 */
const NORMAL_SHARE = 0.5;
/** A burst below the other bounds must still have this many times the usual rate, and be unlikely. */
const SOMEWHAT = 3;

/** Detects `error_burst`: many more errors among the events of a bucket than usual. Figures are rates from 0 to 1. */
export function assessErrors(track: Track, profile: Profile, bucket: Bucket, raised: Raised): Assessment {
  const [events, errors] = [valueOf(track, 'events', bucket), valueOf(track, 'errors', bucket)];
  const usual = profile.errorRate;
  const rate = events === 0 ? 0 : errors / events;
  const points = BURST.points * raised;
  const base = {
    severity: rate >= BURST.critical ? 'critical' : 'warning',
    score: rate <= usual ? 0 : distance(rate, usual),
    actual: rate,
    expected: usual,
    lower: 0,
    upper: Math.min(1, usual + points * NORMAL_SHARE),
  } as const;
  if (errors < BURST.least * raised || rate < usual + points * NORMAL_SHARE) return assessed('normal', base);
  if (rate < usual + points) return assessed('unusual', base);
  if (errors >= BURST.errors * raised && rate >= BURST.times * raised * usual) return assessed('told', base);
  const isUnlikely = rate >= SOMEWHAT * raised * usual && hitsAtLeast(errors, events, usual) < UNLIKELY;
  return assessed(isUnlikely ? 'told' : 'unusual', base);
}
