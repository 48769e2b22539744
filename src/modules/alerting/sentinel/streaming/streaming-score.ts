import { ConformalNeighbours } from './conformal-neighbours.js';
import { evenEdges, WindowEntropy } from './window-entropy.js';

/** From here on a series is told to be unusual, in the product and in the benchmark alike. */
export const THRESHOLD = 0.5;
/** What may still come beyond the values of the warm-up, in widths of their range: more is in the outer bins, which are open. */
const MARGIN = 1;

/** What is known of a series before it begins: benchmarks tell its range, the product learns it from the warm-up. */
export interface Range {
  readonly lowest: number;
  readonly highest: number;
}

/** How unusual the present of a series is: the mean of two detectors that look at it differently. */
export class StreamingScore {
  private readonly neighbours: ConformalNeighbours;
  private entropy: WindowEntropy | null;
  private readonly learned: number[] = [];

  /** @param warmUp values from which nothing is told */
  constructor(
    private readonly warmUp: number,
    range?: Range,
  ) {
    this.neighbours = new ConformalNeighbours(warmUp);
    this.entropy = range === undefined ? null : new WindowEntropy(evenEdges(range.lowest, range.highest));
  }

  /** @returns 0 to 1 */
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
