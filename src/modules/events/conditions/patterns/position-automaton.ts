import { type Pattern, PatternFault, type Ranges } from './pattern-syntax.js';

/** Maximum number of positions of a pattern after its repeats are expanded. It limits the work for each character. */
const MAX_POSITIONS = 256;
/** Maximum number of parts of a pattern after its repeats are expanded. Parts without characters take time, too. */
const MAX_PARTS = 4_096;
const WORD_BITS = 32;

/** The operations on words for each part without those on its sets, and the additional operations for each position. */
const STEPS_OF_A_PART = 50;
const STEPS_OF_A_POSITION = 200;

/** A set of positions, as bits in words of 32. */
export type Positions = Uint32Array;

/**
 * The position automaton of a pattern (Glushkov). Each place of a character in the pattern is a state, and for each
 * state the automaton has the states that may follow. Whether an anchor matches depends on the place in the text. So
 * the first and last positions, and whether a part matches the empty text, are stored separately for the start, the
 * middle and the end of the text.
 */
export interface PositionAutomaton {
  readonly words: number;
  /** The characters of each position. */
  readonly characters: readonly Ranges[];
  /** For each position, the set of positions that may follow it, in `words` words each. */
  readonly follow: Positions;
  /** The positions at which a match may begin: at the start of the text, and elsewhere. */
  readonly firstAtStart: Positions;
  readonly firstWithin: Positions;
  /** The positions at which a match may end: before the end of the text, and at the end. */
  readonly lastWithin: Positions;
  readonly lastAtEnd: Positions;
  /** Whether the pattern matches the empty text, and whether it matches an empty part of a text that is not empty. */
  readonly fitsEmptyText: boolean;
  readonly fitsNothing: boolean;
  /** The operations on words that it took to build the automaton. */
  readonly steps: number;
}

/** Whether a part may match an empty text: in the middle, at the start, at the end, and in a text that is empty. */
interface Nullable {
  readonly within: boolean;
  readonly atStart: boolean;
  readonly atEnd: boolean;
  readonly atBoth: boolean;
}

interface Part {
  readonly nullable: Nullable;
  readonly firstAtStart: Positions;
  readonly firstWithin: Positions;
  readonly lastWithin: Positions;
  readonly lastAtEnd: Positions;
}

const ALWAYS: Nullable = { within: true, atStart: true, atEnd: true, atBoth: true };
const NEVER: Nullable = { within: false, atStart: false, atEnd: false, atBoth: false };

/** @throws PatternFault when the pattern is too large */
export function automatonOf(pattern: Pattern): PositionAutomaton {
  return new Construction(sizeOf(pattern)).build(pattern);
}

/** The size of a pattern after its repeats are expanded. */
interface PatternSize {
  readonly positions: number;
  readonly parts: number;
}

/**
 * Computes the size of a pattern without expanding its repeats.
 * @throws PatternFault when the pattern is too large
 */
export function sizeOf(pattern: Pattern): PatternSize {
  const size = measured(pattern);
  if (size.positions > MAX_POSITIONS || size.parts > MAX_PARTS) {
    throw new PatternFault('the pattern is too large; repeat less');
  }
  return size;
}

function measured(pattern: Pattern): PatternSize {
  switch (pattern.type) {
    case 'set':
      return { positions: 1, parts: 1 };
    case 'start':
    case 'end':
      return { positions: 0, parts: 1 };
    case 'sequence':
      return together(pattern.items);
    case 'choice':
      return together(pattern.options);
    case 'repeat': {
      const { positions, parts } = measured(pattern.item);
      const copies = copiesOf(pattern);
      return { positions: copies * positions, parts: copies * parts + 1 };
    }
  }
}

function together(patterns: readonly Pattern[]): PatternSize {
  let [positions, parts] = [0, 1];
  for (const pattern of patterns) {
    const size = measured(pattern);
    positions += size.positions;
    parts += size.parts;
  }
  return { positions, parts };
}

/** Returns the number of words in a set of this many positions. */
function wordsOf(positions: number): number {
  return Math.max(1, Math.ceil(positions / WORD_BITS));
}

type Repeat = Extract<Pattern, { type: 'repeat' }>;

/** Returns how many copies of its item a repeat needs. The last copy of an unbounded repeat may follow itself. */
function copiesOf({ min, max }: Repeat): number {
  return max ?? Math.max(1, min);
}

class Construction {
  private readonly characters: Ranges[] = [];
  private readonly words: number;
  private readonly follow: Positions;
  /** The empty set. It is recognized by its identity. */
  private readonly none: Positions;
  /** The part that matches the empty text everywhere. */
  private readonly nothing: Part;
  private steps: number;

  constructor({ positions }: PatternSize) {
    this.words = wordsOf(positions);
    this.follow = new Uint32Array(positions * this.words);
    this.none = new Uint32Array(this.words);
    this.nothing = this.anchor(ALWAYS);
    this.steps = this.follow.length;
  }

  build(pattern: Pattern): PositionAutomaton {
    const { nullable, ...ends } = this.part(pattern);
    const { characters, follow, words, steps } = this;
    const fitsNothing = nullable.atStart || nullable.atEnd;
    return { words, characters, follow, ...ends, fitsEmptyText: nullable.atBoth, fitsNothing, steps };
  }

  private part(pattern: Pattern): Part {
    this.steps += STEPS_OF_A_PART;
    switch (pattern.type) {
      case 'set':
        return this.position(pattern.ranges);
      case 'start':
        return this.anchor({ ...NEVER, atStart: true, atBoth: true });
      case 'end':
        return this.anchor({ ...NEVER, atEnd: true, atBoth: true });
      case 'sequence':
        return pattern.items.reduce((before, item) => this.then(before, this.part(item)), this.nothing);
      case 'choice':
        return pattern.options.map((option) => this.part(option)).reduce((a, b) => this.either(a, b));
      case 'repeat':
        return this.repeat(pattern);
    }
  }

  private position(characters: Ranges): Part {
    this.steps += STEPS_OF_A_POSITION;
    const place = this.characters.push(characters) - 1;
    const alone = new Uint32Array(this.words);
    alone[place >>> 5] = (1 << (place & 31)) >>> 0;
    return { nullable: NEVER, firstAtStart: alone, firstWithin: alone, lastWithin: alone, lastAtEnd: alone };
  }

  private anchor(nullable: Nullable): Part {
    const { none } = this;
    return { nullable, firstAtStart: none, firstWithin: none, lastWithin: none, lastAtEnd: none };
  }

  private then(a: Part, b: Part): Part {
    if (a === this.nothing) return b;
    if (b === this.nothing) return a;
    this.link(a, b);
    return {
      nullable: {
        within: a.nullable.within && b.nullable.within,
        atStart: a.nullable.atStart && b.nullable.atStart,
        atEnd: a.nullable.atEnd && b.nullable.atEnd,
        atBoth: a.nullable.atBoth && b.nullable.atBoth,
      },
      firstAtStart: a.nullable.atStart ? this.union(a.firstAtStart, b.firstAtStart) : a.firstAtStart,
      firstWithin: a.nullable.within ? this.union(a.firstWithin, b.firstWithin) : a.firstWithin,
      lastWithin: b.nullable.within ? this.union(a.lastWithin, b.lastWithin) : b.lastWithin,
      lastAtEnd: b.nullable.atEnd ? this.union(a.lastAtEnd, b.lastAtEnd) : b.lastAtEnd,
    };
  }

  private either(a: Part, b: Part): Part {
    return {
      nullable: {
        within: a.nullable.within || b.nullable.within,
        atStart: a.nullable.atStart || b.nullable.atStart,
        atEnd: a.nullable.atEnd || b.nullable.atEnd,
        atBoth: a.nullable.atBoth || b.nullable.atBoth,
      },
      firstAtStart: this.union(a.firstAtStart, b.firstAtStart),
      firstWithin: this.union(a.firstWithin, b.firstWithin),
      lastWithin: this.union(a.lastWithin, b.lastWithin),
      lastAtEnd: this.union(a.lastAtEnd, b.lastAtEnd),
    };
  }

  private repeat(repeat: Repeat): Part {
    const copies = copiesOf(repeat);
    let all = this.nothing;
    for (let index = 0; index < copies; index += 1) {
      const copy = this.part(repeat.item);
      if (repeat.max === null && index === copies - 1) this.link(copy, copy);
      all = this.then(all, index < repeat.min ? copy : { ...copy, nullable: ALWAYS });
    }
    return all;
  }

  /**
   * Adds the transitions from the first part to the second one. Between two characters, neither the start nor the end
   * of the text can match.
   */
  private link({ lastWithin }: Part, { firstWithin }: Part): void {
    if (lastWithin === this.none || firstWithin === this.none) return;
    const { follow, words } = this;
    this.steps += words;
    for (let word = 0; word < words; word += 1) {
      for (let bits = lastWithin[word] ?? 0; bits !== 0; bits &= bits - 1) {
        const row = (word * WORD_BITS + 31 - Math.clz32(bits & -bits)) * words;
        for (let index = 0; index < words; index += 1) {
          follow[row + index] = (follow[row + index] ?? 0) | (firstWithin[index] ?? 0);
        }
        this.steps += words;
      }
    }
  }

  /** Returns the union. It may return one of the two sets itself, because finished sets never change. */
  private union(a: Positions, b: Positions): Positions {
    if (a === b || b === this.none) return a;
    if (a === this.none) return b;
    this.steps += this.words;
    return a.map((word, index) => word | (b[index] ?? 0));
  }
}
