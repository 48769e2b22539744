import type { Bucket } from '../baseline/buckets.js';
import { LEAST_MEASURED, type Profile, usualAt, weeksOf } from '../baseline/profile.js';
import { type Track, valueOf } from '../baseline/track.js';
import { type Assessment, assessed, distance, type Raised } from './assessment.js';

const SHIFT = { buckets: 3, found: 3, normal: 1.5, ms: 50 } as const;

/** Detects `latency_shift`: the p95 latency of three buckets is far above the usual one. Figures are milliseconds. */
export function assessLatency(track: Track, profile: Profile, bucket: Bucket, raised: Raised): Assessment {
  const usual = usualAt(profile, 'latency', bucket);
  const normal = SHIFT.normal * raised;
  const actual = valueOf(track, 'p95', bucket);
  const base = {
    severity: 'warning',
    score: actual <= usual ? 0 : distance(actual, usual),
    actual: Math.max(0, actual),
    expected: Math.max(0, usual),
    lower: 0,
    upper: Math.max(0, usual) * SHIFT.normal,
  } as const;
  const isMeasured = (one: Bucket): boolean => valueOf(track, 'measured', one) >= LEAST_MEASURED;
  if (usual < 0 || !isMeasured(bucket) || actual < Math.max(usual * normal, usual + SHIFT.ms)) {
    return assessed('normal', base);
  }
  const buckets = Array.from({ length: SHIFT.buckets }, (_, index) => bucket - index);
  if (!buckets.every(isMeasured)) return assessed('unusual', base);
  const least = Math.min(...buckets.map((one) => valueOf(track, 'p95', one)));
  const isSlower = (times: number): boolean => least >= usual * times && least >= usual + SHIFT.ms * raised;
  if (isSlower(SHIFT.found * raised)) return assessed('told', base);
  return assessed(isSlower(normal) && weeksOf(profile) >= 1 ? 'candidate' : 'unusual', base);
}
