/** Events that are removed by their age cannot be restored. A wrong clock is mostly corrected within this time. */
export const DUE_FOR_MS = 3_600_000;

/**
 * Delays an instant that comes from another clock, such as the clock of the database. The instant is only used after it
 * was reported for long enough. A clock that jumps mostly returns within that time, and removed events cannot be
 * restored.
 */
export class DebouncedWatermark {
  private said: { readonly at: Date; readonly since: number } | undefined;

  constructor(
    /** Milliseconds on the monotonic clock of the process. Tests lower it. */
    public forMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @returns the earliest instant that was reported during the whole time, or null when the time is not over yet */
  of(at: Date): Date | null {
    const now = this.now();
    if (this.said === undefined || at < this.said.at) this.said = { at, since: now };
    const { at: earliest, since } = this.said;
    if (now - since < this.forMs) return null;
    if (earliest < at) this.said = { at, since: now };
    return earliest;
  }
}
