export const EVENTS_OF_A_PACK = 512;
const BYTES_OF_AN_EVENT = 8;

// The bits of a packed event, from the lowest: the index in the pack, whether the event is the first of its key, the
// number of its type, and milliseconds. The milliseconds cover all years with four digits.
const PLACE_BITS = 9;
const FIRST_BITS = 1;
const TYPE_BITS = 4;
const MS_SHIFT = PLACE_BITS + FIRST_BITS + TYPE_BITS;
/** The factor of the milliseconds in the upper 32-bit word. */
const UPPER_MS = 2 ** (32 - MS_SHIFT);

/**
 * Returns SQL of an aggregate that packs events. The order of its input does not matter.
 * @param event SQL of integers: the index `place` in the pack from 0; `isFirst` of the key, 1 or 0; `type` from 0 to
 * 15; `ms`, not negative
 */
export function packSql({
  place,
  isFirst,
  type,
  ms,
}: Readonly<Record<'place' | 'isFirst' | 'type' | 'ms', string>>): string {
  const bits = [
    `((${ms})::int8 << ${MS_SHIFT})`,
    `((${type})::int8 << ${PLACE_BITS + FIRST_BITS})`,
    `((${isFirst})::int8 << ${PLACE_BITS})`,
    `(${place})::int8`,
  ];
  return `string_agg(int8send(${bits.join(' | ')}), '')`;
}

/**
 * Passes the events of packs to a function, in their order. No object is created per event, because there may be
 * millions.
 */
export class PackReader {
  private readonly lower = new Uint32Array(EVENTS_OF_A_PACK);
  private readonly upper = new Uint32Array(EVENTS_OF_A_PACK);

  read(pack: Buffer, tell: (isFirst: boolean, type: number, ms: number) => void): void {
    const count = pack.length / BYTES_OF_AN_EVENT;
    for (let at = 0; at < pack.length; at += BYTES_OF_AN_EVENT) {
      const word = pack.readUInt32BE(at + 4);
      const place = word & (EVENTS_OF_A_PACK - 1);
      this.lower[place] = word;
      this.upper[place] = pack.readUInt32BE(at);
    }
    for (let place = 0; place < count; place += 1) {
      const word = this.lower[place] ?? 0;
      const type = (word >>> (PLACE_BITS + FIRST_BITS)) & ((1 << TYPE_BITS) - 1);
      const ms = (this.upper[place] ?? 0) * UPPER_MS + (word >>> MS_SHIFT);
      tell(((word >>> PLACE_BITS) & 1) === 1, type, ms);
    }
  }
}

/** An event as one integer that a double represents exactly, for all years with four digits. */
export type EventWord = number;

const TYPES = 10;
const FIRST = TYPES;
const OF_A_MILLISECOND = 2 * TYPES;

/** Returns the word in SQL of ClickHouse. */
export function wordSql({ ms, isFirst, type }: Readonly<Record<'ms' | 'isFirst' | 'type', string>>): string {
  return `${ms} * ${OF_A_MILLISECOND} + if(${isFirst}, ${FIRST}, 0) + ${type}`;
}

export function wordOf({ isFirst, type, ms }: ReadEvent): EventWord {
  return ms * OF_A_MILLISECOND + (isFirst ? FIRST : 0) + type;
}

export interface ReadEvent {
  readonly isFirst: boolean;
  readonly type: number;
  readonly ms: number;
}

/** Passes the events of words to a function, in their order. No object is created per event. */
export function readWords(
  words: readonly EventWord[],
  tell: (isFirst: boolean, type: number, ms: number) => void,
): void {
  for (const word of words) {
    const ms = Math.floor(word / OF_A_MILLISECOND);
    const rest = word - ms * OF_A_MILLISECOND;
    tell(rest >= FIRST, rest % TYPES, ms);
  }
}
