/** Bucket 0 ends at 1 ms; bucket n > 0 holds the whole milliseconds above 1.02^(n-1) and up to 1.02^n. */
const GROWTH = 1.02;

/** The whole milliseconds of a bucket: one below 50 ms, more above. */
function endsOf(bucket: number): { readonly lowest: number; readonly highest: number } {
  if (bucket <= 0) return { lowest: 0, highest: 0 };
  return { lowest: Math.floor(GROWTH ** (bucket - 1)) + 1, highest: Math.floor(GROWTH ** bucket) };
}

/** The middle of a bucket in milliseconds: below 50 ms the exact value, above it at most 1 % or a millisecond off. */
export function middleOf(bucket: number): number {
  const { lowest, highest } = endsOf(bucket);
  return Math.round((lowest + highest) / 2);
}

/** Whether all latencies of a bucket are equal. */
export function isOneValue(bucket: number): boolean {
  const { lowest, highest } = endsOf(bucket);
  return lowest === highest;
}

/** The bucket of a latency in whole milliseconds, as the SQL function `latency_bucket` has it. */
export function bucketOf(ms: number): number {
  return ms < 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(GROWTH));
}

/**
 * Nearest-rank quantiles of a histogram in the order of its buckets.
 * @returns a millisecond value for each quantile (0 to 1), null when nothing was measured
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

/** Where nearest-rank quantiles lie in a histogram in the order of its buckets: in which bucket, as which from 1 on. */
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
