import { DurationList, DurationRanks, type Pause } from './duration-ranks.js';

export interface Reached {
  /** Keys that have reached a step, by step from 0. */
  readonly reached: readonly number[];
  /** The shortest times to each step but the first. */
  readonly durations: readonly DurationRanks[];
  /** Keys that were seen. */
  readonly keys: number;
}

/**
 * Follows chains of events in one pass, one key after the other. For each step the newest beginning of a chain that has
 * reached it stands for all others: it leaves the most time and gives the shortest. An event is tried for the last step
 * first, so that it stands for one step of a chain. Of keys that are over, the shortest times alone are kept.
 */
export class FunnelMachine {
  /** For each event type the steps that it is, the last one first. */
  private readonly stepsOf: readonly (readonly number[])[];
  private readonly steps: number;
  /** Of the key at hand, by step: when the newest chain began that has reached it, in milliseconds; NaN: none. */
  private readonly begun: Float64Array;
  /** Of the key at hand, by step: the shortest time from the first event of a chain to it, in milliseconds. */
  private readonly shortest: Float64Array;
  /** By step but the first, the shortest times of all keys that are over. */
  private readonly durations: readonly DurationList[];
  private began = 0;
  private keys = 0;

  /**
   * @param types of the steps, by number
   * @param withinMs from the first event of a chain to its last, inclusive
   * @param tooMany is thrown when there are more keys than `most`
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

  /** The next event of the key at hand in the order of time, or the first one of the next key. */
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

  /** @param pause between the durations that are laid out together */
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

  /** The key at hand is over. */
  private keepShortest(): void {
    if (this.shortest[0] === 0) this.began += 1;
    for (let step = 1; step < this.steps; step += 1) {
      const shortest = this.shortest[step] ?? Infinity;
      // Whoever has not reached a step has reached none behind it.
      if (shortest === Infinity) break;
      this.durations[step - 1]?.add(shortest);
    }
    this.begun.fill(Number.NaN);
    this.shortest.fill(Infinity);
  }
}
