/**
 * Limits log lines for events that may happen thousands of times a second. The first event is logged at once, and later
 * ones with at most one line per period, which has their number.
 */
export class LogThrottle {
  private readonly told = new Map<string, { readonly until: number; unsaid: number }>();

  constructor(private readonly periodMs = 60_000) {}

  /**
   * @param what the kind of event. It must come from a fixed set, because each value is kept in memory
   * @param tell writes the line. It gets the number of events since the last line, including this one
   */
  happened(what: string, tell: (times: number) => void): void {
    const now = performance.now();
    const known = this.told.get(what);
    if (known !== undefined && now < known.until) {
      known.unsaid += 1;
      return;
    }
    this.told.set(what, { until: now + this.periodMs, unsaid: 0 });
    tell((known?.unsaid ?? 0) + 1);
  }
}
