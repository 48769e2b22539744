const DAY_MS = 86_400_000;
/** Offsets that are remembered: days that follow each other ask for the same ones. */
const MOST_REMEMBERED = 64;

/** Offsets such as `+01:00` are no names, though newer engines take them. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The local time of a place. Instants are milliseconds since 1970 in UTC, days whole days of local dates since 1970-01-01. */
export class TimeZone {
  private readonly format: Intl.DateTimeFormat;
  private readonly remembered = new Map<number, number>();

  /** @param name IANA name. @throws RangeError for another */
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

  /** The local date at an instant. */
  dayAt(instant: number): number {
    return Math.floor((instant + this.offsetAt(instant)) / DAY_MS);
  }

  /**
   * The instant from which on the local date is this day or a later one. That is local midnight; where the clock skips
   * midnight, the instant of the change, and where it is set back over midnight, the second one.
   */
  startOfDay(day: number): number {
    const midnight = day * DAY_MS;
    // Wide enough for every offset; a clock is not changed twice in two days.
    const [earlier, later] = [midnight - DAY_MS, midnight + DAY_MS];
    const [before, after] = [this.offsetAt(earlier), this.offsetAt(later)];
    if (before === after) return midnight - before;
    const change = this.changeBetween(earlier, later);
    // Set back over midnight, or before it.
    if (change + after < midnight) return midnight - after;
    return Math.min(midnight - before, change);
  }

  /** Milliseconds that local time is ahead of UTC. */
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

  /** The first instant with the later offset; the offset changes once between the two. */
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
