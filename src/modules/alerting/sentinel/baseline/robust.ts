/** Converts the median distance from the median into the standard deviation of a normal distribution. */
const OF_NORMAL = 1.4826;

/** Returns the median of values; NaN when there are none. */
export function median(values: ArrayLike<number>): number {
  if (values.length === 0) return NaN;
  // A typed array sorts numbers without a comparison function, in a third of the time.
  const sorted = new Float64Array(values).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** Returns how far values lie from their median, as a standard deviation that outliers do not affect. */
export function spreadAround(middle: number, values: Float64Array): number {
  return OF_NORMAL * median(values.map((value) => Math.abs(value - middle)));
}

/** Returns the value below which half of the weight lies; NaN without weight. */
export function weightedMedian(values: readonly { readonly value: number; readonly weight: number }[]): number {
  const sorted = values.toSorted((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let sum = 0;
  for (const { value, weight } of sorted) {
    sum += weight;
    if (sum > half) return value;
  }
  return NaN;
}
