import { type Bucket, DAY_BUCKETS, HOUR_BUCKETS } from '../baseline/buckets.js';
import { LEARNING_BUCKETS, type Profile } from '../baseline/profile.js';

/** What was learned is kept for a day at most, for half of one at least. */
const SPREAD_HOURS = 12;
/** Events that came late, as a share of those known, from which on what is usual is learned anew within the hour, and at once. */
const LATE = { withinTheHour: 0.01, atOnce: 0.5 } as const;

/**
 * Whether profiles are too old for a bucket: after a day, or as soon as a series has had its three days. Projects that were
 * learned at the same time drift apart, or they would all be learned anew in the same round every day.
 * @param until the hour that the bucket lies in begins with this
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
 * Whether so many events came late that what is usual may have changed. Learning is dear, so few of them wait for the next
 * hour: otherwise a trickle of late events would have it all learned anew for every bucket.
 * @param hours whole ones since it was learned
 */
export function isChanged({ known, now, hours }: { known: number; now: number; hours: number }): boolean {
  const late = Math.abs(now - known);
  return late > known * LATE.atOnce || (hours >= 1 && late > known * LATE.withinTheHour);
}
