// Random numbers that a seed reproduces.

/** @returns random choices for request `number` of the run `seed`, independent of all other requests */
export function chances(seed, number) {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit) => Math.floor(next() * limit);
  const pick = (list) => list[below(list.length)];
  return {
    below,
    pick,
    /** Returns true with this probability. */
    is: (probability) => next() < probability,
    between: (least, most) => least + below(most - least + 1),
    /** Returns one of the values of `[weight, value]`, by weight. */
    weighted: (entries) => {
      let left = next() * entries.reduce((sum, [weight]) => sum + weight, 0);
      return entries.find(([weight]) => (left -= weight) < 0)?.[1] ?? entries.at(-1)[1];
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
  };
}
