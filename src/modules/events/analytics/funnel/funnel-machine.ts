import { DurationList, DurationRanks, type Pause } from './duration-ranks.js';

export interface Reached {
  /** For each step, counted from 0, the number of keys that reached it. */
  readonly reached: readonly number[];
  /** For each step but the first, the shortest time in which each key reached it from the first step. */
  readonly durations: readonly DurationRanks[];
  /** The number of keys that have any event. */
  readonly keys: number;
}

/**
 * Counts the keys that reach each step of a funnel, in one pass over events that are sorted by key. A key is a value of
 * the property that correlates events. A chain is a series of events of one key, with one event for each step. For each
 * step, only the chain that began last is kept, because it has the most time left and gives the shortest duration. An
 * event is matched with the last step first, so that it counts for only one step of a chain. For finished keys, only
 * the shortest durations are kept.
 */
export class FunnelMachine {
  /** For each event type, the steps that it matches, last step first. */
  private readonly stepsOf: readonly (readonly number[])[];
  private readonly steps: number;
  /**
   * For each step, the beginning of the latest chain of the current key that reached it, in milliseconds. NaN when
   * there is no such chain.
   */
  private readonly begun: Float64Array;
  /** For each step, the shortest time in which the current key reached it from the first step, in milliseconds. */
  private readonly shortest: Float64Array;
  /** For each step but the first, the shortest times of all finished keys. */
  private readonly durations: readonly DurationList[];
  private began = 0;
  private keys = 0;

  /**
   * @param types the event type of each step, as a number
   * @param withinMs the maximum time from the first event of a chain to its last, inclusive
   * @param most the maximum number of keys
   * @param tooMany creates the error that is thrown when there are more keys
   */
  constructor(
    types: readonly number[],
    private readonly withinMs: number,
    private readonly most: number,
    private readonly tooMany: () => Error,
  ) {
    this.steps = types.length;
    const numbers = Array.from({ length: Math.max(...types) + 1 }, (_, type) => type);
    this.stepsOf = numbers.map((type) => [...types.keys()].filter((step) => types[step] === type).reverse());
    this.begun = new Float64Array(this.steps).fill(Number.NaN);
    this.shortest = new Float64Array(this.steps).fill(Infinity);
    this.durations = types.slice(1).map(() => new DurationList());
  }

  /**
   * Processes the next event. Events must be sorted by key, and by time within a key.
   * @param isFirst whether the event is the first one of its key
   */
  push(isFirst: boolean, type: number, ms: number): void {
    if (isFirst) this.nextKey();
    const { begun, shortest } = this;
    for (const step of this.stepsOf[type] ?? []) {
      const beginning = step === 0 ? ms : (begun[step - 1] ?? Number.NaN);
      const lasted = ms - beginning;
      if (!(lasted <= this.withinMs)) continue;
      begun[step] = beginning;
      if (lasted < (shortest[step] ?? Infinity)) shortest[step] = lasted;
    }
  }

  /** @param pause runs before each array of durations is counted */
  async end(pause: Pause): Promise<Reached> {
    this.keepShortest();
    const durations: DurationRanks[] = [];
    for (const list of this.durations) durations.push(await DurationRanks.of(list.parts(), pause));
    return { reached: [this.began, ...durations.map(({ count }) => count)], durations, keys: this.keys };
  }

  private nextKey(): void {
    this.keepShortest();
    this.keys += 1;
    if (this.keys > this.most) throw this.tooMany();
  }

  /** Keeps the shortest durations of the finished key and clears the state for the next key. */
  private keepShortest(): void {
    if (this.shortest[0] === 0) this.began += 1;
    for (let step = 1; step < this.steps; step += 1) {
      const shortest = this.shortest[step] ?? Infinity;
      // A key that did not reach this step did not reach any later step.
      if (shortest === Infinity) break;
      this.durations[step - 1]?.add(shortest);
    }
    this.begun.fill(Number.NaN);
    this.shortest.fill(Infinity);
  }
}
