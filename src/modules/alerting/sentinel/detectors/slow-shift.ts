/** What a bucket may lie off by before it counts, and how much must add up, in standard deviations. */
const SLACK = 1;
const BOUND = 12;

/** Adds up by how much values lie above what is expected, and below (Page's cumulative sums). */
export class SlowShift {
  private above = 0;
  private under = 0;

  /** @returns whether so much has added up that the series has shifted */
  push(value: number, expected: number, scale: number): boolean {
    const residual = (value - expected) / scale;
    this.above = Math.min(BOUND, Math.max(0, this.above + residual - SLACK));
    this.under = Math.min(BOUND, Math.max(0, this.under - residual - SLACK));
    return this.above >= BOUND || this.under >= BOUND;
  }
}
