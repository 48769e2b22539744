import { at } from './cholesky.js';

/** Values in a window. */
const WINDOW = 52;
const BINS = 5;
/** χ² of four degrees of freedom at 0.99: two windows of one distribution differ by more in one of a hundred cases. */
const BOUND = 13.276704135987622;
/** Hypotheses that are kept: beyond them the one that is longest unused goes. */
const MOST_HYPOTHESES = 64;

interface Hypothesis {
  readonly shares: Float64Array;
  usedAt: number;
}

/**
 * Whether the last values come from a distribution that was seen before: their histogram is held against those of earlier
 * windows by relative entropy, 2·n·D(now‖then) against the χ² bound. One that fits none is new, and the alarm.
 */
export class WindowEntropy {
  private readonly bins = new Uint8Array(WINDOW);
  private readonly counts = new Int32Array(BINS);
  private readonly hypotheses: Hypothesis[] = [];
  private seen = 0;

  /** @param edges the inner ends of the bins, ascending; the outer bins are open */
  constructor(private readonly edges: readonly number[]) {}

  /** @returns 1 where the window is like none before, else 0 */
  push(value: number): number {
    const place = this.seen % WINDOW;
    if (this.seen >= WINDOW) this.count(this.bins[place] as number, -1);
    const bin = this.binOf(value);
    this.bins[place] = bin;
    this.count(bin, 1);
    this.seen++;
    if (this.seen < WINDOW) return 0;
    const fitting = this.fitting();
    if (fitting !== null) {
      fitting.usedAt = this.seen;
      return 0;
    }
    const isFirst = this.hypotheses.length === 0;
    this.keep();
    return isFirst ? 0 : 1;
  }

  private count(bin: number, by: 1 | -1): void {
    this.counts[bin] = (this.counts[bin] as number) + by;
  }

  private binOf(value: number): number {
    let bin = 0;
    while (bin < this.edges.length && value >= (this.edges[bin] as number)) bin++;
    return bin;
  }

  private fitting(): Hypothesis | null {
    let best: Hypothesis | null = null;
    let least = BOUND;
    for (const hypothesis of this.hypotheses) {
      let entropy = 0;
      for (let bin = 0; bin < BINS && entropy < Infinity; bin++) {
        const share = (this.counts[bin] as number) / WINDOW;
        // A value where the hypothesis has none makes the entropy infinite, as it should.
        if (share > 0) entropy += share * Math.log(share / at(hypothesis.shares, bin));
      }
      if (2 * WINDOW * entropy >= least) continue;
      least = 2 * WINDOW * entropy;
      best = hypothesis;
    }
    return best;
  }

  private keep(): void {
    if (this.hypotheses.length >= MOST_HYPOTHESES) {
      let oldest = 0;
      this.hypotheses.forEach(({ usedAt }, index) => {
        if (usedAt < (this.hypotheses[oldest]?.usedAt ?? 0)) oldest = index;
      });
      this.hypotheses.splice(oldest, 1);
    }
    this.hypotheses.push({ shares: Float64Array.from(this.counts, (count) => count / WINDOW), usedAt: this.seen });
  }
}

/** Inner ends of bins of one width from the lowest to the highest value; none where these are one. */
export function evenEdges(lowest: number, highest: number): number[] {
  if (!(highest > lowest)) return [];
  return Array.from({ length: BINS - 1 }, (_, index) => lowest + ((index + 1) * (highest - lowest)) / BINS);
}
