import { ConformalNeighbours } from './conformal-neighbours.js';
import { evenEdges, WindowEntropy } from './window-entropy.js';

/** From this score on a series counts as unusual, both in the product and in the benchmark. */
export const THRESHOLD = 0.5;
/**
 * The bins extend beyond the values of the warm-up by this many widths of their range, on both sides. Values further
 * out fall into the outer bins, which are open.
 */
const MARGIN = 1;

/** The range of the values of a series. Benchmarks pass the range, the product learns it from the warm-up. */
export interface Range {
  readonly lowest: number;
  readonly highest: number;
}

/** Scores how unusual the latest values of a series are: the mean of two detectors with different methods. */
export class StreamingScore {
  private readonly neighbours: ConformalNeighbours;
  private entropy: WindowEntropy | null;
  private readonly learned: number[] = [];

  /** @param warmUp how many first values are only learned from */
  constructor(
    private readonly warmUp: number,
    range?: Range,
  ) {
    this.neighbours = new ConformalNeighbours(warmUp);
    this.entropy = range === undefined ? null : new WindowEntropy(evenEdges(range.lowest, range.highest));
  }

  /** @returns the score from 0 to 1 */
  push(value: number): number {
    return (this.neighbours.push(value) + this.entropyOf(value)) / 2;
  }

  private entropyOf(value: number): number {
    if (this.entropy !== null) return this.entropy.push(value);
    this.learned.push(value);
    if (this.learned.length >= this.warmUp) {
      const sorted = Float64Array.from(this.learned).sort();
      const [lowest, highest] = [sorted[0] ?? 0, sorted[sorted.length - 1] ?? 0];
      const margin = (highest - lowest) * MARGIN;
      this.entropy = new WindowEntropy(evenEdges(lowest - margin, highest + margin));
      for (const one of this.learned.splice(0)) this.entropy.push(one);
    }
    return 0;
  }
}
