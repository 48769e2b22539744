import { DurationRanks, NEVER, type Pause } from './duration-ranks.js';

/** Chains that are laid out together: more never have to be moved. */
const KEYS_OF_CHUNK = 65_536;

/** The chains of some keys, step by step. */
interface Chunk {
  /** For each step but the last, and each key: when the newest chain began that has reached it, in milliseconds; NaN: none. */
  readonly begun: Float64Array;
  /** For each step but the first, and each key: the shortest time from the first event of a chain to it, in milliseconds. */
  readonly shortest: Uint32Array;
}

export interface Reached {
  /** Keys that have reached a step, by step from 0. */
  readonly reached: readonly number[];
  /** The shortest times to each step but the first. */
  readonly durations: readonly DurationRanks[];
  /** Keys that were seen. */
  readonly keys: number;
}

/**
 * Follows chains of events in one pass. For each key and step the newest beginning of a chain that has reached it stands
 * for all others: it leaves the most time and gives the shortest. An event is tried for the last step first, so that it
 * stands for one step of a chain.
 */
export class FunnelMachine {
  private readonly places = new Map<string, number>();
  private readonly chunks: Chunk[] = [];
  /** For each event type the steps that it is, the last one first. */
  private readonly stepsOf: readonly (readonly number[])[];
  private readonly steps: number;

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
  }

  /** The next event in the order of time. */
  push(key: string, type: number, ms: number): void {
    const place = this.placeOf(key);
    const chunk = this.chunks[Math.floor(place / KEYS_OF_CHUNK)];
    if (chunk === undefined) throw new Error('There is a chunk for each place');
    const { begun, shortest } = chunk;
    const offset = place % KEYS_OF_CHUNK;
    for (const step of this.stepsOf[type] ?? []) {
      const here = step * KEYS_OF_CHUNK + offset;
      if (step === 0) begun[here] = ms;
      else {
        const before = here - KEYS_OF_CHUNK;
        const beginning = begun[before] ?? Number.NaN;
        const lasted = ms - beginning;
        if (!(lasted <= this.withinMs)) continue;
        if (step < this.steps - 1) begun[here] = beginning;
        if (lasted < (shortest[before] ?? NEVER)) shortest[before] = lasted;
      }
    }
  }

  /** @param pause between the keys that are laid out together */
  async end(pause: Pause): Promise<Reached> {
    const durations: DurationRanks[] = [];
    for (let step = 0; step < this.steps - 1; step += 1) {
      const ofStep = this.chunks.map(({ shortest }) =>
        shortest.subarray(step * KEYS_OF_CHUNK, (step + 1) * KEYS_OF_CHUNK),
      );
      durations.push(await DurationRanks.of(ofStep, pause));
    }
    const begun = await this.begun(pause);
    return { reached: [begun, ...durations.map(({ count }) => count)], durations, keys: this.places.size };
  }

  private async begun(pause: Pause): Promise<number> {
    let count = 0;
    for (const { begun } of this.chunks) {
      await pause();
      for (let key = 0; key < KEYS_OF_CHUNK; key += 1) if (!Number.isNaN(begun[key])) count += 1;
    }
    return count;
  }

  private placeOf(key: string): number {
    const known = this.places.get(key);
    if (known !== undefined) return known;
    const place = this.places.size;
    if (place >= this.most) throw this.tooMany();
    if (place % KEYS_OF_CHUNK === 0) {
      const size = (this.steps - 1) * KEYS_OF_CHUNK;
      this.chunks.push({ begun: new Float64Array(size).fill(Number.NaN), shortest: new Uint32Array(size).fill(NEVER) });
    }
    this.places.set(key, place);
    return place;
  }
}
