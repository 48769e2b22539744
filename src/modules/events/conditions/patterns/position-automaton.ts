import { type Pattern, PatternFault, type Ranges } from './pattern-syntax.js';

/** Places of characters that a pattern may have once its repeats are written out; it bounds the work of each character. */
const MAX_POSITIONS = 256;
/** Parts of a pattern that are looked at while its repeats are written out: those that hold no character cost time too. */
const MAX_PARTS = 4_096;
const WORD_BITS = 32;

/** What a part costs beside its sets, in operations on words, and what a position does besides. */
const STEPS_OF_A_PART = 50;
const STEPS_OF_A_POSITION = 200;

/** A set of positions, 32 in a word. */
export type Positions = Uint32Array;

/**
 * The position automaton of a pattern (Glushkov): a state for each place of a character, and which places may follow which.
 * Anchors hold by where one stands, so first and last places, and whether nothing at all will do, are kept for each case.
 */
export interface PositionAutomaton {
  readonly words: number;
  /** The characters of each position. */
  readonly characters: readonly Ranges[];
  /** What may come after each position: `words` of them for each, one position after the other. */
  readonly follow: Positions;
  /** Where a match may begin at the start of the text, and elsewhere. */
  readonly firstAtStart: Positions;
  readonly firstWithin: Positions;
  /** Where a match may end before the end of the text, and at it. */
  readonly lastWithin: Positions;
  readonly lastAtEnd: Positions;
  /** Whether the empty text fits, and whether nothing of a text that is not empty does. */
  readonly fitsEmptyText: boolean;
  readonly fitsNothing: boolean;
  /** What it took to make, in operations on words. */
  readonly steps: number;
}

/** Whether a part may match nothing: nowhere in particular, at the start, at the end, at both. */
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

/** How much a pattern is once its repeats are written out. */
interface PatternSize {
  readonly positions: number;
  readonly parts: number;
}

/**
 * By the pattern as it is written: nothing is repeated for it.
 * @throws PatternFault when it is too large
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

/** Words that a set of so many positions takes. */
function wordsOf(positions: number): number {
  return Math.max(1, Math.ceil(positions / WORD_BITS));
}

type Repeat = Extract<Pattern, { type: 'repeat' }>;

/** The last copy of a repeat without end goes round. */
function copiesOf({ min, max }: Repeat): number {
  return max ?? Math.max(1, min);
}

class Construction {
  private readonly characters: Ranges[] = [];
  private readonly words: number;
  private readonly follow: Positions;
  /** The set of no position, known by itself. */
  private readonly none: Positions;
  /** What fits nothing at all, wherever one stands. */
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

  /** Between two characters one stands neither at the start nor at the end. */
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

  /** Sets are never changed once they are made, so they may be the same. */
  private union(a: Positions, b: Positions): Positions {
    if (a === b || b === this.none) return a;
    if (a === this.none) return b;
    this.steps += this.words;
    return a.map((word, index) => word | (b[index] ?? 0));
  }
}
