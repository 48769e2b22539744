import type { Place } from '../places/cursor.js';

/** So many tell more than a year. */
export const MOST_HOURS = 10_000;
const HOUR_MS = 3_600_000;
/** No id is before it. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface CountedHour {
  /** Hours since 1970. */
  readonly hour: number;
  readonly events: number;
}

/** Where stretches of a window end, as far as whole hours tell: counting rows costs as much as looking through them. */
export class HourEnds {
  /** @param hours those that have events, the newest first, up to {@link MOST_HOURS} */
  constructor(private readonly hours: readonly CountedHour[]) {}

  /** Of a stretch of so many rows at most. Null: it has all that are left. Undefined: one hour has more. */
  next(before: Place, rows: number): Place | null | undefined {
    let counted = 0;
    let end: Place | undefined;
    for (const { hour, events } of this.hours) {
      const timestamp = new Date(hour * HOUR_MS);
      if (timestamp >= before.timestamp) continue;
      counted += events;
      if (counted > rows) return end;
      end = { timestamp, id: FIRST_ID };
    }
    return this.hours.length < MOST_HOURS ? null : end;
  }
}
