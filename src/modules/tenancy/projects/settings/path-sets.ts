const WORD_BITS = 32;
const SEPARATOR = '.';
const ANY = '*';

/**
 * A set of positions in all paths, with one bit for each position. A path has a position before each of its names, and
 * one at its end.
 */
export type StateSet = Uint32Array;

/**
 * Property paths as an automaton that is in several positions at once. A set of positions takes a few machine words,
 * and reading a name advances all positions with a mask and a shift (the Shift-And algorithm). The cost therefore does
 * not depend on the combination of `*`, lists and dotted names. Null is the empty set: no path matches anything below.
 */
export class PathSets {
  readonly start: StateSet;
  /** Number of machine words in one set. */
  readonly words: number;
  /** Number of sets that were computed so far. The cost of each is proportional to `words`. */
  stepsTaken = 0;
  private readonly ending: StateSet;
  /** The positions before `*`. */
  private readonly beforeAny: StateSet;
  /** The positions before each name, including the positions before `*`. */
  private readonly before = new Map<string, StateSet>();
  /** Whether a path contains a list index. */
  private readonly hasIndexes: boolean;

  constructor(paths: readonly string[]) {
    const names = [...new Set(paths)].map((path) => path.split(SEPARATOR));
    const places = names.reduce((sum, { length }) => sum + length + 1, 0);
    this.words = Math.ceil(places / WORD_BITS);
    this.start = this.empty();
    this.ending = this.empty();
    this.beforeAny = this.empty();
    let place = 0;
    for (const path of names) {
      add(this.start, place);
      for (const name of path) add(name === ANY ? this.beforeAny : this.placesBefore(name), place++);
      add(this.ending, place++);
    }
    for (const set of this.before.values()) unite(set, this.beforeAny);
    this.hasIndexes = [...this.before.keys()].some((name) => /^\d+$/.test(name));
  }

  get isEmpty(): boolean {
    return this.words === 0;
  }

  /** Returns whether a path ends in this set, so that the value here is masked. */
  ends(set: StateSet): boolean {
    return intersect(set, this.ending);
  }

  /**
   * Returns the positions after a key. A dotted key counts as several names. If a path ends inside the key, the rest of
   * the key is not read.
   */
  follow(set: StateSet, key: string): StateSet | null {
    let reached: StateSet | null = set;
    for (let from = 0; reached !== null;) {
      const end = key.indexOf(SEPARATOR, from);
      reached = this.step(reached, end < 0 && from === 0 ? key : key.slice(from, end < 0 ? undefined : end));
      if (end < 0 || (reached !== null && this.ends(reached))) break;
      from = end + 1;
    }
    return reached;
  }

  /**
   * Returns the positions after a list item. They include `set`, because a path without an index also matches inside
   * the items. If `index` is undefined, returns the positions after an index that no path names.
   */
  item(set: StateSet, index?: number): StateSet {
    const next = this.step(set, index === undefined ? undefined : String(index));
    return next === null ? set : unite(next, set);
  }

  /** Returns whether a path names this list index. */
  namesIndex(index: number): boolean {
    return this.hasIndexes && this.before.has(String(index));
  }

  private step(set: StateSet, name: string | undefined): StateSet | null {
    const mask = (name === undefined ? undefined : this.before.get(name)) ?? this.beforeAny;
    this.stepsTaken += 1;
    if (!intersect(set, mask)) return null;
    const next = this.empty();
    let carry = 0;
    for (let at = 0; at < this.words; at += 1) {
      const moving = (set[at] ?? 0) & (mask[at] ?? 0);
      next[at] = (moving << 1) | carry;
      carry = moving >>> (WORD_BITS - 1);
    }
    return next;
  }

  private placesBefore(name: string): StateSet {
    const known = this.before.get(name) ?? this.empty();
    this.before.set(name, known);
    return known;
  }

  private empty(): StateSet {
    return new Uint32Array(this.words);
  }
}

function add(set: StateSet, place: number): void {
  const word = place >>> 5;
  set[word] = (set[word] ?? 0) | (1 << (place & 31));
}

function unite(set: StateSet, other: StateSet): StateSet {
  for (let at = 0; at < set.length; at += 1) set[at] = (set[at] ?? 0) | (other[at] ?? 0);
  return set;
}

function intersect(set: StateSet, other: StateSet): boolean {
  for (let at = 0; at < set.length; at += 1) if (((set[at] ?? 0) & (other[at] ?? 0)) !== 0) return true;
  return false;
}
