/** A search in texts or lists. */
export interface Search<T> {
  /**
   * Builds what the search needs, directly before it, and returns the steps this took. Left out when nothing is needed.
   */
  prepare?(): number;
  /** Returns the most steps that the prepared search can take. */
  stepsIn(value: T): number;
  isIn(value: T): boolean;
}

/** Counts the steps of the parts of a filter. A meter may throw before a search that takes too many steps now. */
export interface Meter {
  /** Counts a comparison that takes hardly any steps. */
  plain(): void;
  /** Runs a search and counts its steps. A search belongs to one place in one filter, so it runs once for a subject. */
  search<T>(search: Search<T>, value: T): boolean;
}

/** Returns whether a value matches a comparison. The value is null when it is missing. */
export type Test = (value: unknown, meter?: Meter) => boolean;

export function found<T>(search: Search<T>, value: T, meter: Meter | undefined): boolean {
  return meter === undefined ? search.isIn(value) : meter.search(search, value);
}

/** Returns a test that runs the search in a text. Other values do not match. */
export function holding(search: Search<string>): Test {
  return (value, meter) => typeof value === 'string' && found(search, value, meter);
}
