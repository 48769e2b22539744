import { within } from './deadline.js';

/** A later caller then starts a new computation. A query on a dead connection may never end. */
const COMPUTING_TIMEOUT_MS = 10_000;

/**
 * Computes a value for all who ask for it: one computation runs at a time, callers share it, and its result is kept for a
 * while. So however many ask, the computation costs the same. A failure is not kept.
 */
export class KeptResult<T> {
  private running: Promise<T> | undefined;
  private kept: { readonly value: T; readonly until: number } | undefined;

  /** @param keepMs counted from the end of the computation */
  constructor(
    private readonly keepMs: number,
    private readonly compute: () => Promise<T>,
  ) {}

  async get(): Promise<T> {
    if (this.kept !== undefined && performance.now() < this.kept.until) return this.kept.value;
    this.running ??= this.run().finally(() => (this.running = undefined));
    return this.running;
  }

  private async run(): Promise<T> {
    const value = await within(COMPUTING_TIMEOUT_MS, this.compute(), () => new Error('no result in time'));
    this.kept = { value, until: performance.now() + this.keepMs };
    return value;
  }
}
