import type { SendingLane } from './slots.js';

/** Attempts that come due within this time share a timer. */
const STEP_MS = 100;
/** Beyond this number, attempts wait for the poll. */
const MAX_TIMERS = 5_000;
/** A timer may fire a little early; the row must be due by then. */
const EARLY_MS = 5;

/**
 * Timers for the next attempt of each lane, so that a retry does not wait for the next poll. They are only an
 * optimization: the poll finds every attempt that has no timer.
 */
export class DueTimers {
  /** The timers by time and lane. */
  private readonly timers = new Map<string, NodeJS.Timeout>();

  /** @param horizonMs attempts that are due later get no timer; a poll sets it in time */
  constructor(
    private readonly onDue: (lane: SendingLane) => void,
    private readonly horizonMs: number,
  ) {}

  /** Sets a timer for an attempt of the lane that is due in so many seconds. */
  arm(lane: SendingLane, seconds: number): void {
    const waitMs = seconds * 1_000;
    if (waitMs > this.horizonMs || this.timers.size >= MAX_TIMERS) return;
    const now = performance.now();
    const step = Math.ceil((now + waitMs) / STEP_MS);
    const key = `${step} ${lane.lane}`;
    if (this.timers.has(key)) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(key);
        this.onDue(lane);
      },
      step * STEP_MS - now + EARLY_MS,
    );
    this.timers.set(key, timer.unref());
  }

  stop(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
    this.timers.clear();
  }
}
