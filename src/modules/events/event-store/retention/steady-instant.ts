/** What goes by the age of events is gone for good, and a clock that is wrong is mostly set right within that time. */
export const DUE_FOR_MS = 3_600_000;

/**
 * An instant that goes by another clock than the process's own, such as the database's, and that has to be said for long
 * enough to be taken: whatever is removed by it does not come back, and a clock that jumps mostly does.
 */
export class SteadyInstant {
  private said: { readonly at: Date; readonly since: number } | undefined;

  constructor(
    /** Milliseconds by the process's own clock. Tests make it less. */
    public forMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @returns the earliest of what was said all that time; null: it is not over yet */
  of(at: Date): Date | null {
    const now = this.now();
    if (this.said === undefined || at < this.said.at) this.said = { at, since: now };
    const { at: earliest, since } = this.said;
    if (now - since < this.forMs) return null;
    if (earliest < at) this.said = { at, since: now };
    return earliest;
  }
}
