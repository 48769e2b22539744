import { type Bucket, DAY_BUCKETS } from '../baseline/buckets.js';
import { type Profile, usualAt } from '../baseline/profile.js';
import { type Track, valueOf } from '../baseline/track.js';
import { StreamingScore, THRESHOLD } from '../streaming/streaming-score.js';
import { SlowShift } from './slow-shift.js';

/** A candidate is confirmed by this many buckets of its series. */
export const CONFIRMATION_BUCKETS = 7 * DAY_BUCKETS;
const WARM_UP = DAY_BUCKETS;
/** The stream must look unusual in one of this many last buckets to confirm a candidate. */
const LAST_BUCKETS = 3;

/**
 * Returns whether the stream as a whole looks unusual around a candidate: by the two streaming detectors or, for rates,
 * because small differences have added up.
 * @param track the last {@link CONFIRMATION_BUCKETS} buckets of the series
 * @param profile a whole profile
 */
export function confirms(track: Track, profile: Profile, metric: 'events' | 'p95', bucket: Bucket): boolean {
  const score = new StreamingScore(WARM_UP);
  const shift = new SlowShift();
  let isUnusual = false;
  for (let one = bucket - CONFIRMATION_BUCKETS + 1; one <= bucket; one++) {
    const value = Math.max(0, valueOf(track, metric, one));
    const isScored = score.push(value) >= THRESHOLD;
    const isShifted = metric === 'events' && one > bucket - DAY_BUCKETS && shifted(shift, profile, one, value);
    if (one > bucket - LAST_BUCKETS) isUnusual ||= isScored || isShifted;
  }
  return isUnusual;
}

function shifted(shift: SlowShift, profile: Profile, bucket: Bucket, value: number): boolean {
  const expected = (usualAt(profile, 'high', bucket) + usualAt(profile, 'low', bucket)) / 2;
  const chance = Math.sqrt(Math.max(expected, 1) * profile.dispersion);
  return shift.push(value, expected, Math.max(usualAt(profile, 'spread', bucket), chance));
}
