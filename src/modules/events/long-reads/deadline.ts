import { QueryTooLong } from './long-reads.js';

/** What asking about one event may take, so that it does not keep others from their turn for long. */
const STEPS_OF_AN_EVENT = 50_000_000;
/** Some milliseconds' worth: then others are let in. */
const STEPS_BETWEEN_PAUSES = 1_000_000;
/** What a test costs that is not worth being remembered. */
const CHEAP_STEPS = 20_000;

/** A pattern that texts are held against. */
export interface TextTest {
  /** Of a character, at most. */
  readonly steps: number;
  matches(text: string): boolean;
}

/** Thrown through the middle of an event; what was tested is remembered for when it is asked about again. */
class OthersAreDue extends Error {}
const OTHERS_ARE_DUE = new OthersAreDue();

/** The time of one read, and the work it may do with a single event. */
export class Deadline {
  private readonly endsAt: number;
  private stepsLeft = STEPS_OF_AN_EVENT;
  private stepsSincePause = 0;
  /** What tests have taken of the event at hand, and of these since others had their turn. */
  private tested = 0;
  private testedSincePause = 0;
  private readonly found = new Map<TextTest, Map<string, boolean>>();

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
    this.tested = this.testedSincePause = 0;
    if (this.found.size > 0) this.found.clear();
  }

  /**
   * Asks about the event at hand. Where its tests take long, it is asked again from the beginning after each pause, and
   * each time gets on by one test at least.
   * @param ask changes nothing before its last test
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

  /** Whether a text fits. @throws QueryTooLong, and what {@link inPieces} catches */
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

  private async afterPause<T>(ask: () => T, pause: (milliseconds: number) => Promise<void>, took: number): Promise<T> {
    await pause(took);
    this.left();
    this.stepsLeft = STEPS_OF_AN_EVENT - this.tested;
    this.stepsSincePause = this.testedSincePause = 0;
    return this.inPieces(ask, pause);
  }
}
