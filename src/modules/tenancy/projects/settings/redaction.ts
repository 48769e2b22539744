import { ExactNumber } from '../../../../platform/json/index.js';
import { PathSets, type StateSet } from './path-sets.js';

export const REDACTED = '[redacted]';
/** Names or `*`, separated by dots. */
export const PROPERTY_PATH_PATTERN = /^[^.]+(\.[^.]+)*$/;
/**
 * Maximum number of names in one path. Settings that were stored before this limit existed may have more names, and
 * still work.
 */
export const MOST_PATH_SEGMENTS = 16;

export type Redact = (properties: Record<string, unknown>) => Record<string, unknown>;

/**
 * Masks the values at property paths such as `card.number` and `users.*.email`. `*` matches any single name or index. A
 * path without an index or `*` also matches inside the items of a list. A dotted name (`{"card.number": …}`) is matched
 * like nested names. All usual ways of writing a property are therefore masked. Names are compared exactly.
 *
 * Properties are read only once. For each value there is one set of positions, however many paths match, so the cost is
 * the size of the properties times the total length of the paths in machine words.
 */
export class Redaction {
  readonly paths: PathSets;

  constructor(paths: readonly string[]) {
    this.paths = new PathSets(paths);
  }

  /** Whether there are no paths, so that no value is masked. */
  get isEmpty(): boolean {
    return this.paths.isEmpty;
  }

  readonly properties: Redact = (properties) =>
    this.isEmpty ? properties : this.members(properties, this.paths.start);

  /**
   * Returns a value, masked as if it were at the position `keys` of the properties. A number in `keys` is a list index,
   * and a text is a name.
   */
  valueAt(keys: readonly (string | number)[], value: unknown): unknown {
    let set: StateSet | null = this.paths.start;
    for (const key of keys) {
      if (set === null) return value;
      set = typeof key === 'number' ? this.paths.item(set, key) : this.paths.follow(set, key);
      if (set !== null && this.paths.ends(set)) return REDACTED;
    }
    return set === null ? value : this.within(value, set);
  }

  private value(value: unknown, set: StateSet | null): unknown {
    if (set === null) return value;
    return this.paths.ends(set) ? REDACTED : this.within(value, set);
  }

  private within(value: unknown, set: StateSet): unknown {
    if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
    return Array.isArray(value) ? this.items(value, set) : this.members(value, set);
  }

  private members(object: object, set: StateSet): Record<string, unknown> {
    // Object.fromEntries creates plain members, even for a key such as `__proto__`.
    return Object.fromEntries(
      Object.entries(object).map(([key, value]) => [key, this.value(value, this.paths.follow(set, key))]),
    );
  }

  private items(list: readonly unknown[], set: StateSet): unknown[] {
    // All indexes that no path names lead to the same positions, which are computed once.
    const anywhere = this.paths.item(set);
    return list.map((item, index) =>
      this.value(item, this.paths.namesIndex(index) ? this.paths.item(set, index) : anywhere),
    );
  }
}

export function compileRedaction(paths: readonly string[]): Redact {
  return new Redaction(paths).properties;
}
