import { type Pattern, PatternFault, type Ranges } from './pattern-syntax.js';

/** Places of characters that a pattern may have once its repeats are written out; it bounds the work of each character. */
export const MAX_POSITIONS = 256;
/** Parts of a pattern that are looked at while its repeats are written out: those that hold no character cost time too. */
const MAX_PARTS = 4_096;
const WORD_BITS = 32;

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
  /** By position, what may come after it. */
  readonly follow: readonly Positions[];
  /** Where a match may begin at the start of the text, and elsewhere. */
  readonly firstAtStart: Positions;
  readonly firstWithin: Positions;
  /** Where a match may end before the end of the text, and at it. */
  readonly lastWithin: Positions;
  readonly lastAtEnd: Positions;
  /** Whether the empty text fits, and whether nothing of a text that is not empty does. */
  readonly fitsEmptyText: boolean;
  readonly fitsNothing: boolean;
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

/** @throws PatternFault when the pattern has too many positions */
export function automatonOf(pattern: Pattern): PositionAutomaton {
  return new Construction(Math.max(1, Math.ceil(checkSize(pattern) / WORD_BITS))).build(pattern);
}

/**
 * How many positions the pattern has; quicker than making the automaton.
 * @throws PatternFault when they are too many
 */
export function checkSize(pattern: Pattern): number {
  const count = new PositionCount();
  count.add(pattern);
  return count.positions;
}

class PositionCount {
  positions = 0;
  private parts = 0;

  add(pattern: Pattern): void {
    this.parts += 1;
    if (pattern.type === 'set') this.positions += 1;
    if (this.positions > MAX_POSITIONS || this.parts > MAX_PARTS) {
      throw new PatternFault('the pattern is too large; repeat less');
    }
    for (const part of partsOf(pattern)) this.add(part);
  }
}

/** What a pattern consists of, its repeats written out. */
function* partsOf(pattern: Pattern): Generator<Pattern> {
  if (pattern.type === 'sequence') yield* pattern.items;
  else if (pattern.type === 'choice') yield* pattern.options;
  else if (pattern.type === 'repeat') {
    for (let copy = 0; copy < copiesOf(pattern); copy += 1) yield pattern.item;
  }
}

type Repeat = Extract<Pattern, { type: 'repeat' }>;

/** The last copy of a repeat without end goes round. */
function copiesOf({ min, max }: Repeat): number {
  return max ?? Math.max(1, min);
}

class Construction {
  private readonly characters: Ranges[] = [];
  private readonly follow: Positions[] = [];

  constructor(private readonly words: number) {}

  build(pattern: Pattern): PositionAutomaton {
    const { nullable, ...ends } = this.part(pattern);
    const { characters, follow, words } = this;
    const fitsNothing = nullable.atStart || nullable.atEnd;
    return { words, characters, follow, ...ends, fitsEmptyText: nullable.atBoth, fitsNothing };
  }

  private part(pattern: Pattern): Part {
    switch (pattern.type) {
      case 'set':
        return this.position(pattern.ranges);
      case 'start':
        return this.nothing({ ...NEVER, atStart: true, atBoth: true });
      case 'end':
        return this.nothing({ ...NEVER, atEnd: true, atBoth: true });
      case 'sequence':
        return this.sequence(pattern.items.map((item) => () => this.part(item)));
      case 'choice':
        return pattern.options.map((option) => this.part(option)).reduce((a, b) => this.either(a, b));
      case 'repeat':
        return this.repeat(pattern);
    }
  }

  private position(characters: Ranges): Part {
    const place = this.characters.push(characters) - 1;
    this.follow.push(this.none());
    const alone = this.none();
    alone[place >>> 5] = (1 << (place & 31)) >>> 0;
    return { nullable: NEVER, firstAtStart: alone, firstWithin: alone, lastWithin: alone, lastAtEnd: alone };
  }

  private nothing(nullable: Nullable): Part {
    const none = this.none();
    return { nullable, firstAtStart: none, firstWithin: none, lastWithin: none, lastAtEnd: none };
  }

  private sequence(parts: readonly (() => Part)[]): Part {
    return parts.reduce((before, part) => this.then(before, part()), this.nothing(ALWAYS));
  }

  private then(a: Part, b: Part): Part {
    this.link(a, b);
    return {
      nullable: {
        within: a.nullable.within && b.nullable.within,
        atStart: a.nullable.atStart && b.nullable.atStart,
        atEnd: a.nullable.atEnd && b.nullable.atEnd,
        atBoth: a.nullable.atBoth && b.nullable.atBoth,
      },
      firstAtStart: a.nullable.atStart ? union(a.firstAtStart, b.firstAtStart) : a.firstAtStart,
      firstWithin: a.nullable.within ? union(a.firstWithin, b.firstWithin) : a.firstWithin,
      lastWithin: b.nullable.within ? union(a.lastWithin, b.lastWithin) : b.lastWithin,
      lastAtEnd: b.nullable.atEnd ? union(a.lastAtEnd, b.lastAtEnd) : b.lastAtEnd,
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
      firstAtStart: union(a.firstAtStart, b.firstAtStart),
      firstWithin: union(a.firstWithin, b.firstWithin),
      lastWithin: union(a.lastWithin, b.lastWithin),
      lastAtEnd: union(a.lastAtEnd, b.lastAtEnd),
    };
  }

  private repeat(repeat: Repeat): Part {
    const copies = copiesOf(repeat);
    return this.sequence(
      Array.from({ length: copies }, (_, index) => () => {
        const copy = this.part(repeat.item);
        if (repeat.max === null && index === copies - 1) this.link(copy, copy);
        return index < repeat.min ? copy : { ...copy, nullable: ALWAYS };
      }),
    );
  }

  /** Between two characters one stands neither at the start nor at the end. */
  private link({ lastWithin }: Part, { firstWithin }: Part): void {
    for (const [place, follow] of this.follow.entries()) {
      if (((lastWithin[place >>> 5] ?? 0) >>> (place & 31)) & 1) add(follow, firstWithin);
    }
  }

  private none(): Positions {
    return new Uint32Array(this.words);
  }
}

function union(a: Positions, b: Positions): Positions {
  const result = a.slice();
  add(result, b);
  return result;
}

function add(to: Positions, from: Positions): void {
  for (const [index, word] of from.entries()) to[index] = (to[index] ?? 0) | word;
}
