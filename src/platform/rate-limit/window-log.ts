/**
 * The times at which requests were allowed, oldest first. There is one entry for each millisecond, so the size of the
 * log depends on the window and not on the limit.
 */
export class WindowLog {
  private times: number[] = [];
  private counts: number[] = [];
  /** The index of the first entry inside the window. */
  private head = 0;
  private total = 0;

  get count(): number {
    return this.total;
  }

  get oldest(): number | undefined {
    return this.times[this.head];
  }

  get newest(): number | undefined {
    return this.times.at(-1);
  }

  /** @param time Unix milliseconds, not before {@link newest} */
  add(time: number): void {
    const last = this.times.length - 1;
    if (this.times[last] === time) this.counts[last] = (this.counts[last] ?? 0) + 1;
    else {
      this.times.push(time);
      this.counts.push(1);
    }
    this.total += 1;
  }

  /** Removes the requests that were allowed at `time` or before. */
  forgetUntil(time: number): void {
    while (this.head < this.times.length && (this.times[this.head] ?? 0) <= time) {
      this.total -= this.counts[this.head] ?? 0;
      this.head += 1;
    }
    // Expired entries are removed only when more than half of the entries have expired, so that the cost of a request
    // does not grow with the limit.
    if (this.head * 2 <= this.times.length) return;
    this.times = this.times.slice(this.head);
    this.counts = this.counts.slice(this.head);
    this.head = 0;
  }
}
