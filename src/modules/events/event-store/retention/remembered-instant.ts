const KNOWN_FOR_MS = 60_000;
/** From then on every process goes by what was said, and most of the requests that did not are over: rows may go by it. */
export const KNOWN_TO_ALL_MS = 2 * KNOWN_FOR_MS;

/** An instant of the database as this process knows it: at most a minute late. */
export class RememberedInstant {
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

  /** It has changed. */
  forget(): void {
    this.known = undefined;
  }
}
