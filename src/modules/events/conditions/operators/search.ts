/** A search in texts or lists. */
export interface Search<T> {
  /**
   * Prepares the search and returns the steps that this took. Called directly before the search. Left out when the
   * search needs no preparation.
   */
  prepare?(): number;
  /** Returns the maximum number of steps of the prepared search. */
  stepsIn(value: T): number;
  isIn(value: T): boolean;
}

/** Counts the steps of a filter. Before a search with too many steps, a meter may throw to interrupt the filter. */
export interface Meter {
  /** Counts a comparison that takes few steps. */
  plain(): void;
  /**
   * Runs a search and counts its steps. A search belongs to one comparison of one filter, so its result for a subject
   * can be cached.
   */
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
