/** Durations that are laid out together: more never have to be moved. */
const DURATIONS_OF_A_PART = 65_536;

const HALF = 16;
const HALVES = 1 << HALF;

/** Lets others in where that is due. */
export type Pause = () => Promise<void>;

/** Takes millions of whole milliseconds of a month at most, four bytes each. */
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

  /** All of them, some at a time. */
  parts(): Uint32Array[] {
    return [...this.full, this.last.subarray(0, this.used)];
  }
}

/** Ranks among millions of whole milliseconds, without sorting them. */
export class DurationRanks {
  private constructor(
    private readonly parts: readonly Uint32Array[],
    /** How many there are. */
    readonly count: number,
    /** By the upper halves of their bits. */
    private readonly upper: Uint32Array,
    private readonly pause: Pause,
  ) {}

  /**
   * @param pause between them
   */
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

  /** The nearest-rank quantile in milliseconds, null without durations. @param quantile above 0 and up to 1 */
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

/** Where the one of a rank is counted, and how many are counted before. */
function placeOf(rank: number, counts: Uint32Array): { readonly place: number; readonly before: number } {
  let before = 0;
  for (const [place, count] of counts.entries()) {
    if (before + count >= rank) return { place, before };
    before += count;
  }
  throw new Error('There are not so many');
}
