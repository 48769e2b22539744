import { QueryTooLong } from './long-reads.js';

/** Maximum number of steps for one event, so that it does not block other requests for long. */
const STEPS_OF_AN_EVENT = 50_000_000;
/** Steps after which the event loop is yielded to other requests. They take some milliseconds. */
const STEPS_BETWEEN_PAUSES = 1_000_000;
/** Results of tests with fewer steps than this are not cached. */
const CHEAP_STEPS = 20_000;

/** A pattern that texts are tested against. */
export interface TextTest {
  /** Maximum number of steps per character. */
  readonly steps: number;
  matches(text: string): boolean;
}

/**
 * Thrown to interrupt the evaluation of an event for other requests. The results of its tests are cached for the next
 * evaluation.
 */
class OthersAreDue extends Error {}
const OTHERS_ARE_DUE = new OthersAreDue();

/** Limits the time of one read, and the work it may spend on a single event. */
export class ReadDeadline {
  private readonly endsAt: number;
  private stepsLeft = STEPS_OF_AN_EVENT;
  private stepsSincePause = 0;
  /** Steps spent on tests of the current event: in total, and since the last pause. */
  private tested = 0;
  private testedSincePause = 0;
  private readonly found = new Map<TextTest, Map<string, boolean>>();

  constructor(
    /** The time limit of the whole read. */
    readonly milliseconds: number,
    private readonly signal?: AbortSignal,
  ) {
    this.endsAt = performance.now() + milliseconds;
  }

  /**
   * Returns the whole milliseconds that are left.
   * @throws QueryTooLong, and the signal's reason when the read was aborted
   */
  left(): number {
    this.signal?.throwIfAborted();
    const left = Math.ceil(this.endsAt - performance.now());
    if (left <= 0) throw new QueryTooLong();
    return left;
  }

  nextEvent(): void {
    this.stepsLeft = STEPS_OF_AN_EVENT;
    this.tested = this.testedSincePause = 0;
    if (this.found.size > 0) this.found.clear();
  }

  /**
   * Evaluates the current event. When its tests take long, the evaluation starts again after each pause, and completes
   * at least one more test each time.
   * @param ask evaluates the event; it must have no side effects before its last test
   * @throws QueryTooLong
   */
  inPieces<T>(ask: () => T, pause: (milliseconds: number) => Promise<void>): T | Promise<T> {
    const startedAt = performance.now();
    try {
      return ask();
    } catch (error) {
      if (error !== OTHERS_ARE_DUE) throw error;
      return this.afterPause(ask, pause, performance.now() - startedAt);
    }
  }

  /** Returns whether a text matches. @throws QueryTooLong, and the error that {@link inPieces} catches */
  test(test: TextTest, text: string): boolean {
    const steps = test.steps * text.length;
    if (steps < CHEAP_STEPS) {
      this.spend(steps);
      return test.matches(text);
    }
    let known = this.found.get(test);
    if (known === undefined) this.found.set(test, (known = new Map<string, boolean>()));
    let fits = known.get(text);
    if (fits !== undefined) return fits;
    if (this.testedSincePause >= STEPS_BETWEEN_PAUSES) throw OTHERS_ARE_DUE;
    this.spend(steps);
    this.tested += steps;
    this.testedSincePause += steps;
    known.set(text, (fits = test.matches(text)));
    return fits;
  }

  /** Returns whether the steps since the last pause require a pause now. */
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

  private async afterPause<T>(ask: () => T, pause: (milliseconds: number) => Promise<void>, took: number): Promise<T> {
    await pause(took);
    this.left();
    this.stepsLeft = STEPS_OF_AN_EVENT - this.tested;
    this.stepsSincePause = this.testedSincePause = 0;
    return this.inPieces(ask, pause);
  }
}
