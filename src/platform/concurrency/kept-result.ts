import { within } from './deadline.js';

/**
 * Time limit of a computation. A query on a dead connection, for example, may never end. After the limit, the next
 * caller starts a new computation.
 */
const COMPUTING_TIMEOUT_MS = 10_000;

/**
 * Computes a value for all callers. Callers share one running computation, and its result is kept for a while, so the
 * cost does not depend on the number of callers. A failure is not kept.
 */
export class KeptResult<T> {
  private running: Promise<T> | undefined;
  private kept: { readonly value: T; readonly until: number } | undefined;

  /** @param keepMs how long a result is kept, counted from the end of its computation */
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
