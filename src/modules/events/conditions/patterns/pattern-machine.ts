import { MAX_SEARCHED, type Pattern, type Ranges } from './pattern-syntax.js';
import { automatonOf, type PositionAutomaton, type Positions } from './position-automaton.js';

/** The number of positions whose followers one table lookup finds. */
const CHUNK_BITS = 4;
const CHUNK_VALUES = 1 << CHUNK_BITS;
const CHUNKS_IN_A_WORD = 32 / CHUNK_BITS;
const ASCII = 128;
/** The approximate memory of a machine in addition to its tables. */
const OTHER_BYTES = 4_096;
/**
 * The steps to parse the longest pattern. {@link STEPS_OF_A_RANGE} is the number of steps for each range of characters,
 * without the operations on sets of positions.
 */
const STEPS_OF_READING = 20_000;
const STEPS_OF_A_RANGE = 50;

/**
 * Searches texts for a pattern. The machine simulates all possible matches at the same time, as a bit set of positions
 * in the pattern, and caches nothing while it searches. So for every pattern and text, a character costs at most {@link
 * PatternMachine.stepsOfCharacter} operations on words, and the tables never grow.
 */
export class PatternMachine {
  /** The maximum number of operations on words for one character. */
  readonly stepsOfCharacter: number;
  /** The operations on words that it took to build the machine from the text of the pattern. */
  readonly stepsToMake: number;
  /** The approximate memory of the machine. */
  readonly bytes: number;
  private readonly ends: Omit<PositionAutomaton, 'characters' | 'follow' | 'steps'>;
  private readonly words: number;
  /**
   * For each chunk of positions and each combination of its bits, the set of positions that may follow these positions.
   */
  private readonly followers: Uint32Array;
  /**
   * The code points at which classes of characters begin. All characters of a class are accepted by the same positions.
   */
  private readonly boundaries: readonly number[];
  private readonly asciiClasses: Uint16Array;
  /** For each class, the positions that accept its characters. */
  private readonly takers: Uint32Array;

  /** @throws PatternFault when the pattern is too large */
  constructor(pattern: Pattern) {
    const { characters, follow, steps, ...ends } = automatonOf(pattern);
    const { words } = ends;
    const classes = classesOf(characters, words);
    this.ends = ends;
    this.words = words;
    this.followers = followersOf(follow, words);
    this.boundaries = boundariesOf(classes);
    this.asciiClasses = asciiClassesOf(this.boundaries);
    this.takers = takersOf(classes, this.boundaries, words);
    this.stepsOfCharacter = words * (words * CHUNKS_IN_A_WORD + 2);
    const ranges = classes.reduce((sum, { ranges: { length } }) => sum + length, 0);
    this.stepsToMake =
      STEPS_OF_READING +
      steps +
      this.followers.length +
      this.takers.length +
      characters.length +
      ranges * (STEPS_OF_A_RANGE + 2 * words);
    this.bytes = 4 * (this.followers.length + this.takers.length + this.boundaries.length) + OTHER_BYTES;
  }

  matches(text: string): boolean {
    const { fitsEmptyText, fitsNothing } = this.ends;
    if (text === '') return fitsEmptyText;
    if (fitsNothing) return true;
    return this.words === 1 ? this.searchNarrow(text) : this.searchWide(text);
  }

  /** Searches with a pattern of up to 32 positions. A set of them is a single number. */
  private searchNarrow(text: string): boolean {
    const { followers, takers, asciiClasses, ends } = this;
    const [within = 0, last = 0, end = 0] = [ends.firstWithin[0], ends.lastWithin[0], ends.lastAtEnd[0]];
    let next = ends.firstAtStart[0] ?? 0;
    let active = 0;
    for (let at = 0, left = MAX_SEARCHED; at < text.length && left > 0; at += 1, left -= 1) {
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(at) ?? 0;
        if (code > 0xffff) at += 1;
      }
      let offset = 0;
      for (let bits = active; bits !== 0; bits >>>= CHUNK_BITS) {
        next |= followers[offset + (bits & (CHUNK_VALUES - 1))] ?? 0;
        offset += CHUNK_VALUES;
      }
      active = next & (takers[code < ASCII ? (asciiClasses[code] ?? 0) : this.classOf(code)] ?? 0);
      if ((active & last) !== 0) return true;
      next = within;
    }
    return (active & end) !== 0;
  }

  private searchWide(text: string): boolean {
    const { followers, takers, asciiClasses, ends, words } = this;
    const { firstWithin, lastWithin, lastAtEnd } = ends;
    let first = ends.firstAtStart;
    let active = new Uint32Array(words);
    let next = new Uint32Array(words);
    for (let at = 0, left = MAX_SEARCHED; at < text.length && left > 0; at += 1, left -= 1) {
      let code = text.charCodeAt(at);
      if (code >= 0xd800 && code < 0xdc00) {
        code = text.codePointAt(at) ?? 0;
        if (code > 0xffff) at += 1;
      }
      next.set(first);
      for (let word = 0; word < words; word += 1) {
        let offset = word * CHUNKS_IN_A_WORD * CHUNK_VALUES * words;
        for (let bits = active[word] ?? 0; bits !== 0; bits >>>= CHUNK_BITS) {
          const chunk = bits & (CHUNK_VALUES - 1);
          if (chunk !== 0) {
            const row = offset + chunk * words;
            for (let index = 0; index < words; index += 1) {
              next[index] = (next[index] ?? 0) | (followers[row + index] ?? 0);
            }
          }
          offset += CHUNK_VALUES * words;
        }
      }
      const row = (code < ASCII ? (asciiClasses[code] ?? 0) : this.classOf(code)) * words;
      let matched = 0;
      for (let index = 0; index < words; index += 1) {
        const taken = (next[index] ?? 0) & (takers[row + index] ?? 0);
        next[index] = taken;
        matched |= taken & (lastWithin[index] ?? 0);
      }
      if (matched !== 0) return true;
      [active, next] = [next, active];
      first = firstWithin;
    }
    return active.some((word, index) => (word & (lastAtEnd[index] ?? 0)) !== 0);
  }

  private classOf(code: number): number {
    let low = 0;
    let high = this.boundaries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.boundaries[middle] ?? 0) <= code) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function followersOf(follow: Positions, words: number): Uint32Array {
  const chunks = words * CHUNKS_IN_A_WORD;
  const table = new Uint32Array(chunks * CHUNK_VALUES * words);
  for (let chunk = 0; chunk < chunks; chunk += 1) {
    for (let value = 1; value < CHUNK_VALUES; value += 1) {
      const row = (chunk * CHUNK_VALUES + value) * words;
      // The row for the bits without the lowest one is already complete.
      const rest = (chunk * CHUNK_VALUES + (value & (value - 1))) * words;
      const lowest = (chunk * CHUNK_BITS + 31 - Math.clz32(value & -value)) * words;
      for (let index = 0; index < words; index += 1) {
        table[row + index] = (table[rest + index] ?? 0) | (follow[lowest + index] ?? 0);
      }
    }
  }
  return table;
}

/** A set of characters in the pattern, and the positions that accept them. */
interface CharacterClass {
  readonly ranges: Ranges;
  readonly takers: Positions;
}

/** Groups positions by their characters. Positions from one place of the pattern share one `Ranges` object. */
function classesOf(characters: readonly Ranges[], words: number): CharacterClass[] {
  const classes = new Map<Ranges, CharacterClass>();
  for (const [place, ranges] of characters.entries()) {
    let known = classes.get(ranges);
    if (known === undefined) classes.set(ranges, (known = { ranges, takers: new Uint32Array(words) }));
    known.takers[place >>> 5] = (known.takers[place >>> 5] ?? 0) | (1 << (place & 31));
  }
  return [...classes.values()];
}

function boundariesOf(classes: readonly CharacterClass[]): number[] {
  const boundaries = new Set<number>();
  for (const { ranges } of classes) for (const [from, to] of ranges) boundaries.add(from).add(to + 1);
  return [...boundaries].sort((a, b) => a - b);
}

function asciiClassesOf(boundaries: readonly number[]): Uint16Array {
  let kind = 0;
  return Uint16Array.from({ length: ASCII }, (_, code) => {
    while ((boundaries[kind] ?? Infinity) <= code) kind += 1;
    return kind;
  });
}

/**
 * Returns a row of positions for each class of characters. The class of a character is the number of boundaries up to
 * it. Each row is the previous row, in which the positions of the ranges that begin or end at the boundary are toggled.
 * Toggling is correct because the ranges of one set do not overlap.
 */
function takersOf(classes: readonly CharacterClass[], boundaries: readonly number[], words: number): Uint32Array {
  const table = new Uint32Array((boundaries.length + 1) * words);
  const rowOf = new Map(boundaries.map((code, index) => [code, (index + 1) * words]));
  const change = (code: number, takers: Positions): void => {
    const row = rowOf.get(code) ?? 0;
    for (let index = 0; index < words; index += 1) {
      table[row + index] = (table[row + index] ?? 0) ^ (takers[index] ?? 0);
    }
  };
  for (const { ranges, takers } of classes) {
    for (const [from, to] of ranges) {
      change(from, takers);
      change(to + 1, takers);
    }
  }
  for (let at = words; at < table.length; at += 1) table[at] = (table[at] ?? 0) ^ (table[at - words] ?? 0);
  return table;
}
