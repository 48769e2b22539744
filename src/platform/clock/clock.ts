/**
 * The only source of the current time in services. Claims on rows, such as leases, use the clock of the database
 * instead.
 */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}

/** A clock for tests that only moves when a test moves it. */
export class FixedClock extends Clock {
  private ms: number;

  constructor(start: Date | string | number = '2026-01-15T12:00:00.000Z') {
    super();
    this.ms = millisecondsOf(start);
  }

  override now(): Date {
    return new Date(this.ms);
  }

  set(time: Date | string | number): void {
    this.ms = millisecondsOf(time);
  }

  /** Moves by `ms` milliseconds; a negative number moves back, as a corrected host clock would. */
  advance(ms: number): void {
    this.ms = millisecondsOf(this.ms + ms);
  }
}

function millisecondsOf(time: Date | string | number): number {
  const ms = new Date(time).getTime();
  if (Number.isNaN(ms)) throw new RangeError('Not a point in time');
  return ms;
}
