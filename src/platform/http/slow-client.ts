/** How long a client may take to read what was sent to it. */
export interface SlowClientLimits {
  /**
   * A client that reads nothing for this time is disconnected. This time is added to the time that `bytesPerSecond`
   * allows.
   */
  readonly stalledMs: number;
  /**
   * The minimum average rate. Without it, a client that reads only a little now and then would hold memory for ever.
   */
  readonly bytesPerSecond: number;
  /** The maximum time for one piece of any size, in addition to `stalledMs`. */
  readonly longestMs: number;
}

export const SLOW_CLIENT_LIMITS: SlowClientLimits = {
  stalledMs: 30_000,
  bytesPerSecond: 16 * 1024,
  longestMs: 300_000,
};

/** Computes the time that a client has left to read what was sent to it. */
export class SlowClientTimer {
  private until: number | undefined;

  constructor(private readonly limits: SlowClientLimits) {}

  /** The milliseconds in which the client must read something, or be disconnected. */
  get leftMs(): number {
    const left = (this.until ?? Infinity) - performance.now();
    return Math.max(0, Math.min(this.limits.stalledMs, left));
  }

  /** Call when more bytes are sent to the client. */
  give(bytes: number): void {
    const { stalledMs, bytesPerSecond, longestMs } = this.limits;
    const graceEnds = performance.now() + stalledMs;
    this.until = Math.min((this.until ?? graceEnds) + (bytes / bytesPerSecond) * 1_000, graceEnds + longestMs);
  }

  /** Call when the client has read everything. Its time restarts with the next bytes. */
  taken(): void {
    this.until = undefined;
  }
}
