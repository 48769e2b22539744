const KNOWN_FOR_MS = 60_000;
/**
 * After this time every process uses a changed instant, and most requests that began before are over. Then rows may be
 * removed.
 */
export const KNOWN_TO_ALL_MS = 2 * KNOWN_FOR_MS;

/** Caches an instant of the database for up to a minute. */
export class CachedWatermark {
  private known: { readonly at: Promise<Date | null>; readonly until: number } | undefined;

  constructor(private readonly ask: () => Promise<Date | null>) {}

  get(): Promise<Date | null> {
    const now = performance.now();
    if (this.known !== undefined && now < this.known.until) return this.known.at;
    const known = { at: this.ask(), until: now + KNOWN_FOR_MS };
    this.known = known;
    known.at.catch(() => {
      if (this.known === known) this.known = undefined;
    });
    return known.at;
  }

  /** Drops the cached value after a change. */
  forget(): void {
    this.known = undefined;
  }
}
