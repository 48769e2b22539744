const WORD_BITS = 32;
const SEPARATOR = '.';
const ANY = '*';

/** How far each of the paths has come: a bit for each place before, between and behind its names. */
export type StateSet = Uint32Array;

/**
 * Property paths as one automaton that is in many places at once. A set of places is some machine words, and a name leads
 * all of them on by a mask and a shift (the Shift-And algorithm), so no combination of `*`, lists and dotted names costs
 * more than the words. Null is the empty set: nothing below can be reached.
 */
export class PathSets {
  readonly start: StateSet;
  /** Machine words of a set. */
  readonly words: number;
  /** Sets worked out so far; each costs time in proportion to the words. */
  stepsTaken = 0;
  private readonly ending: StateSet;
  /** Places before `*`. */
  private readonly beforeAny: StateSet;
  /** By name: places before it or `*`. */
  private readonly before = new Map<string, StateSet>();
  /** Whether a path names a place of a list. */
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

  /** Whether a path reaches its value here. */
  ends(set: StateSet): boolean {
    return intersect(set, this.ending);
  }

  /** By a name; a dotted one leads several names on, and one path that ends on its way is enough. */
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

  /** By a place in a list, which is also looked through. Without an index: by one that no path names. */
  item(set: StateSet, index?: number): StateSet {
    const next = this.step(set, index === undefined ? undefined : String(index));
    return next === null ? set : unite(next, set);
  }

  /** Whether a path names this place of a list. */
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
