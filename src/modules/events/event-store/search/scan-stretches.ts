import type { Locator } from '../lists/cursor.js';

/** The maximum number of hours that are read, which covers more than a year. */
export const MOST_HOURS = 10_000;
const HOUR_MS = 3_600_000;
/** The lowest possible id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface CountedHour {
  /** Hours since 1970. */
  readonly hour: number;
  readonly events: number;
}

/** Finds the ends of stretches from the hourly counts. Counting rows would cost as much as searching them. */
export class ScanStretches {
  /** @param hours the hours with events, newest first, at most {@link MOST_HOURS} */
  constructor(private readonly hours: readonly CountedHour[]) {}

  /**
   * Returns the end of a stretch with at most this many rows. Null when the stretch has all remaining rows. Undefined
   * when one hour has more rows.
   */
  next(before: Locator, rows: number): Locator | null | undefined {
    let counted = 0;
    let end: Locator | undefined;
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
