import { at } from './cholesky.js';

/** A window holds this many values. */
const WINDOW = 52;
const BINS = 5;
/** χ² of four degrees of freedom at 0.99: two windows of one distribution differ by more in one of a hundred cases. */
const BOUND = 13.276704135987622;
/** At most this many hypotheses are kept. A further one replaces the least recently used one. */
const MOST_HYPOTHESES = 64;

interface Hypothesis {
  readonly shares: Float64Array;
  usedAt: number;
}

/**
 * Detects that the last values come from a distribution that was not seen before. Their histogram is compared with the
 * histograms of earlier windows by relative entropy: 2·n·D(now‖then) against the χ² bound. A histogram that fits none
 * of them raises the alarm.
 */
export class WindowEntropy {
  private readonly bins = new Uint8Array(WINDOW);
  private readonly counts = new Int32Array(BINS);
  private readonly hypotheses: Hypothesis[] = [];
  private seen = 0;

  /** @param edges the inner ends of the bins, ascending; the outer bins are open */
  constructor(private readonly edges: readonly number[]) {}

  /** @returns 1 when the window is like none before, else 0 */
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
        // A value in a bin that is empty in the hypothesis makes the entropy infinite, as it should.
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

/**
 * Returns the inner edges of bins of equal width between the lowest and the highest value; none when these are equal.
 */
export function evenEdges(lowest: number, highest: number): number[] {
  if (!(highest > lowest)) return [];
  return Array.from({ length: BINS - 1 }, (_, index) => lowest + ((index + 1) * (highest - lowest)) / BINS);
}
