/** How long a client may take for what it is given. */
export interface SlowClientLimits {
  /** Whoever takes nothing for so long is let go. Beside it everybody has so long, whatever they are given. */
  readonly stalledMs: number;
  /** What a client has to take on average beyond that: who takes a little now and then keeps the memory of all. */
  readonly bytesPerSecond: number;
  /** Nobody has longer for one piece, however large it is. */
  readonly longestMs: number;
}

export const SLOW_CLIENT_LIMITS: SlowClientLimits = {
  stalledMs: 30_000,
  bytesPerSecond: 16 * 1024,
  longestMs: 300_000,
};

/** The time a client has left for what it was given and has not taken yet. */
export class SlowClientTimer {
  private until: number | undefined;

  constructor(private readonly limits: SlowClientLimits) {}

  /** Until it takes something next, milliseconds. */
  get leftMs(): number {
    const left = (this.until ?? Infinity) - performance.now();
    return Math.max(0, Math.min(this.limits.stalledMs, left));
  }

  /** It is given more. */
  give(bytes: number): void {
    const { stalledMs, bytesPerSecond, longestMs } = this.limits;
    const graceEnds = performance.now() + stalledMs;
    this.until = Math.min((this.until ?? graceEnds) + (bytes / bytesPerSecond) * 1_000, graceEnds + longestMs);
  }

  /** It has taken all: with what comes next its time begins anew. */
  taken(): void {
    this.until = undefined;
  }
}
