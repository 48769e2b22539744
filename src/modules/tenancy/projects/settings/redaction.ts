import { ExactNumber } from '../../../../platform/json/index.js';
import { PathSets, type StateSet } from './path-sets.js';

export const REDACTED = '[redacted]';
/** One or more names or `*` between dots. */
export const PROPERTY_PATH_PATTERN = /^[^.]+(\.[^.]+)*$/;
/** Of one path; settings from before that have more still work, and cost no more than their length. */
export const MOST_PATH_SEGMENTS = 16;

export type Redact = (properties: Record<string, unknown>) => Record<string, unknown>;

/**
 * Compiles property paths such as `card.number` and `users.*.email`. `*` stands for any one name or index. A list
 * without an index or `*` in the path is looked through, and a dotted name (`{"card.number": …}`) counts as the
 * path it spells, so that no usual way of writing the property escapes. Names are compared exactly.
 *
 * One pass: what is reached at a value is one set of places, however many ways lead to it, so the cost is the size of the
 * properties times the length of the paths in machine words.
 */
export class Redaction {
  readonly paths: PathSets;

  constructor(paths: readonly string[]) {
    this.paths = new PathSets(paths);
  }

  /** Whether nothing is masked, whatever comes. */
  get isEmpty(): boolean {
    return this.paths.isEmpty;
  }

  readonly properties: Redact = (properties) =>
    this.isEmpty ? properties : this.members(properties, this.paths.start);

  /**
   * The value found by keys of properties, masked as it would be there: a number is a place in a list, everything else a
   * name.
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
    // Built from entries, so that a key such as `__proto__` stays plain data.
    return Object.fromEntries(
      Object.entries(object).map(([key, value]) => [key, this.value(value, this.paths.follow(set, key))]),
    );
  }

  private items(list: readonly unknown[], set: StateSet): unknown[] {
    // All places but those that a path names by its number lead to the same.
    const anywhere = this.paths.item(set);
    return list.map((item, index) =>
      this.value(item, this.paths.namesIndex(index) ? this.paths.item(set, index) : anywhere),
    );
  }
}

export function compileRedaction(paths: readonly string[]): Redact {
  return new Redaction(paths).properties;
}
