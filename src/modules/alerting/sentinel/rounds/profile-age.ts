import { type Bucket, DAY_BUCKETS, HOUR_BUCKETS } from '../baseline/buckets.js';
import { LEARNING_BUCKETS, type Profile } from '../baseline/profile.js';

/** Profiles are kept for a day at most, and for half a day at least. */
const SPREAD_HOURS = 12;
/**
 * Shares of late events among the known ones. From the first share on, profiles are learned again within the hour, and
 * from the second on at once.
 */
const LATE = { withinTheHour: 0.01, atOnce: 0.5 } as const;

/**
 * Returns whether profiles are too old for a bucket: after a day, or as soon as a series has three days of history. The
 * age differs between projects. Otherwise all projects that were learned at the same time would be learned again in the
 * same round every day.
 * @param until the first bucket of the hour that the bucket lies in
 */
export function isOutgrown(
  projectId: string,
  made: Bucket,
  profiles: readonly { readonly profile: Pick<Profile, 'since'> }[],
  until: Bucket,
): boolean {
  const kept = DAY_BUCKETS - (Number.parseInt(projectId.slice(-4), 16) % SPREAD_HOURS) * HOUR_BUCKETS;
  const isNew = (bucket: Bucket, { since }: Pick<Profile, 'since'>): boolean => bucket - since < LEARNING_BUCKETS;
  return (
    until - made >= kept ||
    (until > made &&
      (profiles.length === 0 || profiles.some(({ profile }) => isNew(made, profile) && !isNew(until, profile))))
  );
}

/**
 * Returns whether so many events came late that the baseline may have changed. Learning is expensive, so a few late
 * events wait for the next hour. Otherwise a trickle of late events would cause a training for every bucket.
 * @param hours whole hours since the profiles were learned
 */
export function isChanged({ known, now, hours }: { known: number; now: number; hours: number }): boolean {
  const late = Math.abs(now - known);
  return late > known * LATE.atOnce || (hours >= 1 && late > known * LATE.withinTheHour);
}
