/** Something that is looked for, in texts or lists. */
export interface Search<T> {
  /** Makes what a search that follows at once needs; tells how many steps that took. Left out: nothing is needed. */
  prepare?(): number;
  /** What the search takes at most, once it is prepared. */
  stepsIn(value: T): number;
  isIn(value: T): boolean;
}

/** Is told what the parts of a filter cost, and may throw before one that costs too much for now. */
export interface Meter {
  /** A comparison that costs next to nothing. */
  plain(): void;
  /** Each search is of one place of one filter, so that it is asked once for a subject. */
  search<T>(search: Search<T>, value: T): boolean;
}

/** Whether a value, null where it is missing, fits a comparison. */
export type Test = (value: unknown, meter?: Meter) => boolean;

export function found<T>(search: Search<T>, value: T, meter: Meter | undefined): boolean {
  return meter === undefined ? search.isIn(value) : meter.search(search, value);
}

/** Tests whether a text holds what is searched for; other values do not. */
export function holding(search: Search<string>): Test {
  return (value, meter) => typeof value === 'string' && found(search, value, meter);
}
