/** The length of one array of durations. When an array is full, a new one is created, so no duration is ever copied. */
const DURATIONS_OF_A_PART = 65_536;

const HALF = 16;
const HALVES = 1 << HALF;

/** Yields to the event loop when a pause is due. */
export type Pause = () => Promise<void>;

/** Holds millions of durations in whole milliseconds, each of at most a month, in four bytes each. */
export class DurationList {
  private readonly full: Uint32Array[] = [];
  private last = new Uint32Array(0);
  private used = 0;

  add(duration: number): void {
    if (this.used === this.last.length) {
      if (this.used > 0) this.full.push(this.last);
      this.last = new Uint32Array(DURATIONS_OF_A_PART);
      this.used = 0;
    }
    this.last[this.used] = duration;
    this.used += 1;
  }

  /** Returns all durations, in arrays of at most 65,536. */
  parts(): Uint32Array[] {
    return [...this.full, this.last.subarray(0, this.used)];
  }
}

/** Computes quantiles of millions of durations in whole milliseconds without sorting them. */
export class DurationRanks {
  private constructor(
    private readonly parts: readonly Uint32Array[],
    /** The number of durations. */
    readonly count: number,
    /** Counts the durations by the upper 16 of their 32 bits. */
    private readonly upper: Uint32Array,
    private readonly pause: Pause,
  ) {}

  /** @param pause runs before each array is counted */
  static async of(parts: readonly Uint32Array[], pause: Pause): Promise<DurationRanks> {
    const upper = new Uint32Array(HALVES);
    let count = 0;
    for (const part of parts) {
      await pause();
      count += part.length;
      for (const duration of part) {
        const half = duration >>> HALF;
        upper[half] = (upper[half] ?? 0) + 1;
      }
    }
    return new DurationRanks(parts, count, upper, pause);
  }

  /** Returns the nearest-rank quantile in milliseconds, or null without durations. @param quantile above 0, up to 1 */
  async quantile(quantile: number): Promise<number | null> {
    if (this.count === 0) return null;
    const rank = Math.max(1, Math.ceil(quantile * this.count));
    const upper = placeOf(rank, this.upper);
    const lower = new Uint32Array(HALVES);
    for (const part of this.parts) {
      await this.pause();
      for (const duration of part) {
        if (duration >>> HALF !== upper.place) continue;
        const half = duration & (HALVES - 1);
        lower[half] = (lower[half] ?? 0) + 1;
      }
    }
    return upper.place * HALVES + placeOf(rank - upper.before, lower).place;
  }
}

/** Returns the index of the count that includes the rank, and the sum of the counts before it. */
function placeOf(rank: number, counts: Uint32Array): { readonly place: number; readonly before: number } {
  let before = 0;
  for (const [place, count] of counts.entries()) {
    if (before + count >= rank) return { place, before };
    before += count;
  }
  throw new Error('There are not so many');
}
