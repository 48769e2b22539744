import { MOST_PARTS } from '../../../../platform/storage/index.js';

const MIB = 1024 * 1024;
/** The minimum that S3 accepts for a part that is not the last. */
export const SMALLEST_PART = 5 * MIB;
export const LARGEST_PART = 5 * 1024 * MIB;
export const USUAL_PART = 8 * MIB;

/** The division of content into parts of one size. The last part may be smaller. */
export interface PartLayout {
  readonly size: number;
  readonly partSize: number;
  readonly partCount: number;
}

/**
 * Divides content into parts.
 * @param wanted bytes of a part; made larger, to a whole MiB, when there would be more than {@link MOST_PARTS} parts
 */
export function layOut(size: number, wanted: number): PartLayout {
  const least = Math.ceil(size / MOST_PARTS / MIB) * MIB;
  const partSize = size > wanted * MOST_PARTS ? least : wanted;
  return { size, partSize, partCount: Math.ceil(size / partSize) };
}

/** Returns the offset and size of a part, or null when there is no part of this number. */
export function partAt(
  { size, partSize, partCount }: PartLayout,
  number: number,
): { readonly number: number; readonly offset: number; readonly size: number } | null {
  if (!Number.isInteger(number) || number < 1 || number > partCount) return null;
  const offset = (number - 1) * partSize;
  return { number, offset, size: Math.min(partSize, size - offset) };
}
