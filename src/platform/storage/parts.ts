import { MOST_PARTS, type PartPlace, SLOTS } from './object-store.js';

/** Returns the parts in the order of the blob. @throws RangeError unless the parts cover each byte exactly once */
export function inOrder<P extends PartPlace>(parts: readonly P[], size: number): P[] {
  const sorted = [...parts].sort((a, b) => a.number - b.number);
  let end = 0;
  for (const part of sorted) {
    checkPlace(part);
    if (part.offset !== end) throw new RangeError('Parts do not follow each other');
    end += part.size;
  }
  if (end !== size || sorted.length === 0) throw new RangeError('Parts do not make the whole');
  return sorted;
}

/** @throws RangeError */
export function checkPlace({ number, slot, offset, size }: PartPlace): void {
  const isPlace = isWithin(number, 1, MOST_PARTS) && isWithin(slot, 0, SLOTS - 1);
  const isSpan = isWithin(offset, 0, Number.MAX_SAFE_INTEGER) && isWithin(size, 1, Number.MAX_SAFE_INTEGER);
  if (!isPlace || !isSpan) throw new RangeError('Not the place of a part');
}

function isWithin(n: number, least: number, most: number): boolean {
  return Number.isSafeInteger(n) && n >= least && n <= most;
}
