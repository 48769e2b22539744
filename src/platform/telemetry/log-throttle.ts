/**
 * Logs events that may happen thousands of times a second: the first one at once, then at most one line per period with
 * a count.
 */
export class LogThrottle {
  private readonly told = new Map<string, { readonly until: number; unsaid: number }>();

  constructor(private readonly periodMs = 60_000) {}

  /**
   * @param what must come from a fixed set, because each value is kept in memory
   * @param tell gets the number of events since the last call, including this one
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
