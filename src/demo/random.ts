/** Reproducible random numbers. They must not be used for secrets. */
export interface Random {
  /** From 0 inclusive to 1 exclusive. */
  next(): number;
  /** A whole number from 0 inclusive to `limit` exclusive. */
  below(limit: number): number;
  /** A number of the standard normal distribution. */
  normal(): number;
  pick<T>(items: readonly T[]): T;
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T;
}

/** Returns the random numbers of a 32-bit seed (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    // The Box-Muller transform; 1 - u keeps the logarithm away from zero.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: (items) => at(items, below(items.length)),
    weighted: (items) => {
      let rest = next() * items.reduce((sum, item) => sum + item.weight, 0);
      const found = items.findIndex((item) => (rest -= item.weight) < 0);
      return at(items, found < 0 ? items.length - 1 : found);
    },
  };
}

function at<T>(items: readonly T[], index: number): T {
  if (index >= items.length) throw new RangeError('nothing to choose from');
  return items[index] as T;
}
