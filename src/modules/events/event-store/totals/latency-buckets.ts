/**
 * Bucket 0 has 0 and 1 ms, and counts as 0 ms. Bucket n > 0 has the whole milliseconds above 1.02^(n-1) and up to
 * 1.02^n.
 */
const GROWTH = 1.02;

/** Returns the range of whole milliseconds in a bucket. From 2 to 49 ms a bucket has one value. */
function endsOf(bucket: number): { readonly lowest: number; readonly highest: number } {
  if (bucket <= 0) return { lowest: 0, highest: 1 };
  return { lowest: Math.floor(GROWTH ** (bucket - 1)) + 1, highest: Math.floor(GROWTH ** bucket) };
}

/**
 * Returns the middle of a bucket in milliseconds, and 0 for bucket 0. It is exact from 2 to 49 ms. Otherwise the error is
 * at most 1 % or one millisecond.
 */
export function middleOf(bucket: number): number {
  if (bucket <= 0) return 0;
  const { lowest, highest } = endsOf(bucket);
  return Math.round((lowest + highest) / 2);
}

/** True when all latencies of a bucket are equal. */
export function isOneValue(bucket: number): boolean {
  const { lowest, highest } = endsOf(bucket);
  return lowest === highest;
}

/** Returns the bucket of a latency in whole milliseconds, like the SQL function `latency_bucket`. */
export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(GROWTH));
}

/**
 * Returns quantiles of a histogram by nearest rank.
 * @param histogram ascending by bucket
 * @returns milliseconds for each quantile (0 to 1), null when no latency was measured
 */
export function quantilesOf(
  histogram: readonly { readonly bucket: number; readonly events: number }[],
  quantiles: readonly number[],
): (number | null)[] {
  const places = placesOf(histogram, quantiles);
  return quantiles.map((_, index) => {
    const place = places[index];
    return place === undefined ? null : middleOf(place.bucket);
  });
}

/**
 * Returns the bucket of each quantile by nearest rank, and its rank within the bucket, from 1.
 * @param histogram ascending by bucket
 */
export function placesOf(
  histogram: readonly { readonly bucket: number; readonly events: number }[],
  quantiles: readonly number[],
): { readonly bucket: number; readonly rank: number }[] {
  const total = histogram.reduce((sum, { events }) => sum + events, 0);
  return quantiles.flatMap((quantile) => {
    let rank = Math.max(1, Math.ceil(quantile * total));
    for (const { bucket, events } of histogram) {
      if (rank <= events) return { bucket, rank };
      rank -= events;
    }
    return [];
  });
}
