import type { Lane } from './slots.js';

/** Tries that come due within this time of one another are told of together. */
const STEP_MS = 100;
/** Further tries are found by the poll. */
const MAX_TIMERS = 5_000;
/** A timer may fire a little early; the row must be due by then. */
const EARLY_MS = 5;

/**
 * Tells of lanes when their next try is due, so that a retry does not wait for the next poll. It only saves time: the poll
 * finds whatever no timer told of.
 */
export class DueTimers {
  /** By lane and time. */
  private readonly timers = new Map<string, NodeJS.Timeout>();

  /** @param horizonMs what is due later is armed by a poll that comes before it */
  constructor(
    private readonly onDue: (lane: Lane) => void,
    private readonly horizonMs: number,
  ) {}

  /** A try of the lane is due in so many seconds. */
  arm(lane: Lane, seconds: number): void {
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
