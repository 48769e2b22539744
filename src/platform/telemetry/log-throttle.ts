/** Tells of what may happen thousands of times a second: at once, then once a period with how often it was meanwhile. */
export class LogThrottle {
  private readonly told = new Map<string, { readonly until: number; unsaid: number }>();

  constructor(private readonly periodMs = 60_000) {}

  /**
   * @param what comes from a fixed set, since each is remembered
   * @param tell gets how often it happened since it was last told of, this time included
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
