const SLICE_MS = 5_000;
const SLICES = 12;

/**
 * Counts how much each name has used in the last minute. It keeps one number for each name and slice of five seconds.
 */
export class RecentUse {
  /** The newest slice first. */
  private readonly slices = Array.from({ length: SLICES }, () => new Map<string, number>());
  private newest = 0;

  /** @param now returns milliseconds of a monotonic clock */
  constructor(private readonly now: () => number = () => performance.now()) {}

  add(name: string, amount: number): void {
    this.forgetOld();
    const [slice] = this.slices;
    slice?.set(name, (slice.get(name) ?? 0) + amount);
  }

  of(name: string): number {
    this.forgetOld();
    return this.slices.reduce((sum, slice) => sum + (slice.get(name) ?? 0), 0);
  }

  /** Returns the whole seconds until the use of the last minute falls below `limit`, or 0 when it is below now. */
  secondsUntilBelow(name: string, limit: number): number {
    let left = this.of(name);
    if (left < limit) return 0;
    for (let age = SLICES - 1; age >= 0; age -= 1) {
      left -= this.slices[age]?.get(name) ?? 0;
      if (left < limit) return Math.ceil(((this.newest + SLICES - age) * SLICE_MS - this.now()) / 1_000);
    }
    return (SLICES * SLICE_MS) / 1_000;
  }

  private forgetOld(): void {
    const newest = Math.floor(this.now() / SLICE_MS);
    for (let slice = Math.max(this.newest, newest - SLICES); slice < newest; slice += 1) {
      this.slices.pop();
      this.slices.unshift(new Map());
    }
    this.newest = newest;
  }
}
