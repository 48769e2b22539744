/** Above every duration, in milliseconds: a month has fewer. */
export const NEVER = 0xffff_ffff;

const HALF = 16;
const HALVES = 1 << HALF;

/** Lets others in where that is due. */
export type Pause = () => Promise<void>;

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
   * @param parts durations, or {@link NEVER} for none
   * @param pause between them
   */
  static async of(parts: readonly Uint32Array[], pause: Pause): Promise<DurationRanks> {
    const upper = new Uint32Array(HALVES);
    let count = 0;
    for (const part of parts) {
      await pause();
      for (const duration of part) {
        if (duration === NEVER) continue;
        count += 1;
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
        if (duration === NEVER || duration >>> HALF !== upper.place) continue;
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
