export interface BreakdownRow {
  /** `total` covers all events, `missing` the events without a value, `item` the events of one value. */
  readonly part: 'total' | 'missing' | 'item';
  readonly key: string | null;
  readonly events: number;
  readonly errors: number;
  /** An `item` has the events of the previous window here. The `total` has the number of values. */
  readonly more: number;
}
