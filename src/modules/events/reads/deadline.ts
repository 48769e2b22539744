import { QueryTooLong } from './long-reads.js';

/** What asking about one event may take, so that it does not keep others from their turn for long. */
const STEPS_OF_AN_EVENT = 50_000_000;
/** Some milliseconds' worth: then others are let in. */
const STEPS_BETWEEN_PAUSES = 1_000_000;

/** The time of one read, and the work it may do with a single event. */
export class Deadline {
  private readonly endsAt: number;
  private stepsLeft = STEPS_OF_AN_EVENT;
  private stepsSincePause = 0;

  constructor(
    /** What the read may take in all. */
    readonly milliseconds: number,
    private readonly signal?: AbortSignal,
  ) {
    this.endsAt = performance.now() + milliseconds;
  }

  /** Whole milliseconds that are left. @throws QueryTooLong, and why it is wanted no more */
  left(): number {
    this.signal?.throwIfAborted();
    const left = Math.ceil(this.endsAt - performance.now());
    if (left <= 0) throw new QueryTooLong();
    return left;
  }

  nextEvent(): void {
    this.stepsLeft = STEPS_OF_AN_EVENT;
  }

  /** Whether so much was spent since the last pause that one is to be made now. */
  isPauseDue(): boolean {
    if (this.stepsSincePause < STEPS_BETWEEN_PAUSES) return false;
    this.stepsSincePause = 0;
    return true;
  }

  /** @throws QueryTooLong */
  spend(steps: number): void {
    this.stepsLeft -= steps;
    this.stepsSincePause += steps;
    if (this.stepsLeft < 0) throw new QueryTooLong();
  }
}
