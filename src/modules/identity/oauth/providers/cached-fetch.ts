import type { Clock } from '../../../../platform/clock/index.js';

/**
 * Caches a fetched value for `lifeMs` milliseconds. Concurrent callers share one fetch. A failed fetch is not cached.
 */
export class CachedFetch<T> {
  private kept: { readonly value: T; readonly until: number } | undefined;
  private underway: Promise<T> | undefined;

  constructor(
    private readonly load: () => Promise<T>,
    private readonly lifeMs: number,
    private readonly clock: Clock,
  ) {}

  get isLoading(): boolean {
    return this.underway !== undefined;
  }

  async get(): Promise<T> {
    const { kept } = this;
    return kept !== undefined && kept.until > this.clock.now().getTime() ? kept.value : this.reload();
  }

  reload(): Promise<T> {
    this.underway ??= this.load()
      .then((value) => {
        this.kept = { value, until: this.clock.now().getTime() + this.lifeMs };
        return value;
      })
      .finally(() => {
        this.underway = undefined;
      });
    return this.underway;
  }
}
