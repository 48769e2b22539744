export interface BreakdownRow {
  /** All events, those without a value, or those of one. */
  readonly part: 'total' | 'missing' | 'item';
  readonly key: string | null;
  readonly events: number;
  readonly errors: number;
  /** Of one value: events in the window before. Of all: how many values there are. */
  readonly more: number;
}
