import { randomInt } from 'node:crypto';

/** In [0, 1). */
export function randomFraction(): number {
  return randomInt(2 ** 32) / 2 ** 32;
}
