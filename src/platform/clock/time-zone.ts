const DAY_MS = 86_400_000;
/** Maximum number of cached offsets. Consecutive days need the same offsets. */
const MOST_REMEMBERED = 64;

/**
 * Returns whether the text is the name of a time zone. Offsets such as `+01:00` are not names, though newer engines
 * accept them.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/**
 * Converts between instants and local dates of a time zone. Instants are milliseconds since 1970 in UTC, days are whole
 * days of local dates since 1970-01-01.
 */
export class TimeZone {
  private readonly format: Intl.DateTimeFormat;
  private readonly remembered = new Map<number, number>();

  /** @param name the IANA name. @throws RangeError for any other text */
  constructor(readonly name: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Returns the local date at an instant. */
  dayAt(instant: number): number {
    return Math.floor((instant + this.offsetAt(instant)) / DAY_MS);
  }

  /**
   * Returns the first instant at which the local date is this day or later: usually local midnight. When the clock
   * skips midnight, it is the instant of the change. When the clock is set back over midnight, it is the second
   * midnight.
   */
  startOfDay(day: number): number {
    const midnight = day * DAY_MS;
    // Two days are wide enough for every offset, and no time zone changes its clock twice within two days.
    const [earlier, later] = [midnight - DAY_MS, midnight + DAY_MS];
    const [before, after] = [this.offsetAt(earlier), this.offsetAt(later)];
    if (before === after) return midnight - before;
    const change = this.changeBetween(earlier, later);
    // The clock was set back over midnight, or changed before it.
    if (change + after < midnight) return midnight - after;
    return Math.min(midnight - before, change);
  }

  /** Returns how many milliseconds local time is ahead of UTC. */
  private offsetAt(instant: number): number {
    const known = this.remembered.get(instant);
    if (known !== undefined) return known;
    const offset = this.lookUp(instant);
    if (this.remembered.size === MOST_REMEMBERED) this.remembered.clear();
    this.remembered.set(instant, offset);
    return offset;
  }

  private lookUp(instant: number): number {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of this.format.formatToParts(instant)) parts[type] = value;
    const year = parts.era?.startsWith('B') === true ? 1 - Number(parts.year) : Number(parts.year);
    const local = new Date(0);
    local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    return local.getTime() - Math.floor(instant / 1_000) * 1_000;
  }

  /** Returns the first instant with the later offset. The offset must change once between the two instants. */
  private changeBetween(earlier: number, later: number): number {
    const before = this.offsetAt(earlier);
    let [low, high] = [earlier, later];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }
}
