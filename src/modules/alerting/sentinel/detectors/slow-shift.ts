/**
 * Differences up to `SLACK` do not count. The series has shifted when the rest adds up to `BOUND`. Both are in standard
 * deviations.
 */
const SLACK = 1;
const BOUND = 12;

/** Adds up how far values lie above the expected ones, and how far below (Page's cumulative sums). */
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
