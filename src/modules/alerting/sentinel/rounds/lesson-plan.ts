import { type Bucket, bucketOf, HOUR_BUCKETS } from '../baseline/buckets.js';

/** Rows of events, or of their rollups, that one piece of a lesson reads: about half a second. */
const ROWS_A_PIECE = 20_000;
/** Rows of events that a lesson reads beside rollups. What lies before them is left out. */
const ROWS_A_LESSON = 2_000_000;

/** An hour of history that has events. */
export interface HistoryHour {
  /** Its first bucket. */
  readonly bucket: Bucket;
  /** Rows of events that have to be looked at since no rollup has added them up. */
  readonly rows: number;
}

/** Hours as they are read, in their order. */
export function historyOf(hours: readonly { readonly hour: Date; readonly rows: number }[]): HistoryHour[] {
  return hours.map(({ hour, rows }) => ({ bucket: bucketOf(hour.getTime()), rows }));
}

/** How far back history is read, and what of it are rows of events. @param hours newest first */
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
 * The first bucket of the next piece of history, which ends where the one before begins: as many hours as a share of rows
 * allows, or of one that has too many some buckets.
 * @param hours newest first, those that begin before `to`
 * @param series that are read of each hour
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
