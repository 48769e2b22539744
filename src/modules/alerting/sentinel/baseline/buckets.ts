/** The number of a bucket of five minutes of UTC, counted since 1970. */
export type Bucket = number;

export const BUCKET_MS = 300_000;
export const HOUR_BUCKETS = 12;
export const DAY_BUCKETS = 24 * HOUR_BUCKETS;
export const HOURS_A_WEEK = 168;
export const WEEK_BUCKETS = HOURS_A_WEEK * HOUR_BUCKETS;
/** A baseline covers this many buckets. */
export const BASELINE_BUCKETS = 4 * WEEK_BUCKETS;

/** Returns the bucket that an instant lies in. @param at epoch milliseconds */
export function bucketOf(at: number): Bucket {
  return Math.floor(at / BUCKET_MS);
}

export function startOf(bucket: Bucket): Date {
  return new Date(bucket * BUCKET_MS);
}

/** Returns which of the 168 hours of the week a bucket lies in. The week begins on Thursday, as 1970 did. */
export function hourOfWeek(bucket: Bucket): number {
  return Math.floor(bucket / HOUR_BUCKETS) % HOURS_A_WEEK;
}
