import { QueryTooLong } from './long-reads.js';

/** What asking about one event may take, so that it does not keep others from their turn for long. */
const STEPS_OF_AN_EVENT = 50_000_000;

/** The time of one read, and the work it may do with a single event. */
export class Deadline {
  private readonly endsAt: number;
  private stepsLeft = STEPS_OF_AN_EVENT;

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

  /** @throws QueryTooLong */
  spend(steps: number): void {
    this.stepsLeft -= steps;
    if (this.stepsLeft < 0) throw new QueryTooLong();
  }
}
