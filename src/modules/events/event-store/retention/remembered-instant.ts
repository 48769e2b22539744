/** Less than what passes until rows go by it. */
const KNOWN_FOR_MS = 60_000;

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
