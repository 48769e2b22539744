import { type Bucket, bucketOf, HOUR_BUCKETS } from '../baseline/buckets.js';

/** One piece of a training reads this many rows of events or of their rollups, which takes about half a second. */
const ROWS_A_PIECE = 20_000;
/** A training reads at most this many rows of events in addition to rollups. Older history is left out. */
const ROWS_A_LESSON = 2_000_000;

/** An hour of history that has events. */
export interface HistoryHour {
  /** The first bucket of the hour. */
  readonly bucket: Bucket;
  /** Rows of events that have to be read because no rollup covers them. */
  readonly rows: number;
}

/** Converts hours as they are read from the database, in the same order. */
export function historyOf(hours: readonly { readonly hour: Date; readonly rows: number }[]): HistoryHour[] {
  return hours.map(({ hour, rows }) => ({ bucket: bucketOf(hour.getTime()), rows }));
}

/** Returns how far back history is read, and how many rows of events that takes. @param hours newest first */
export function reachOf(
  hours: readonly HistoryHour[],
  since: Bucket,
  budget = ROWS_A_LESSON,
): { readonly since: Bucket; readonly rows: number } {
  let rows = 0;
  for (const hour of hours) {
    if (rows + hour.rows > budget) return { since: hour.bucket + HOUR_BUCKETS, rows };
    rows += hour.rows;
  }
  return { since, rows };
}

/**
 * Returns the first bucket of the next piece of history, which ends where the last piece began. The piece has as many
 * hours as a share of rows allows, or some buckets of an hour that has too many rows.
 * @param hours the hours that begin before `to`, newest first
 * @param series how many series are read of each hour
 */
export function pieceFrom(
  hours: readonly HistoryHour[],
  { since, to, series }: { readonly since: Bucket; readonly to: Bucket; readonly series: number },
  share = ROWS_A_PIECE,
): Bucket {
  let [left, from] = [share, to];
  for (const { bucket, rows } of hours) {
    const price = series + rows;
    if (price > left) return from < to ? from : partFrom(bucket, to, price, share);
    left -= price;
    from = Math.max(since, bucket);
  }
  return since;
}

function partFrom(bucket: Bucket, to: Bucket, price: number, share: number): Bucket {
  const buckets = Math.max(1, Math.floor((HOUR_BUCKETS * share) / price));
  return Math.max(bucket, Math.min(to, bucket + HOUR_BUCKETS) - buckets);
}
