/** When requests were let in, oldest first: one entry a millisecond, so a window bounds it and not the limit. */
export class WindowLog {
  private times: number[] = [];
  private counts: number[] = [];
  /** The entries before it have left the window. */
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

  /** Forgets what was let in at `time` or before. */
  forgetUntil(time: number): void {
    while (this.head < this.times.length && (this.times[this.head] ?? 0) <= time) {
      this.total -= this.counts[this.head] ?? 0;
      this.head += 1;
    }
    // Moved down only when most of it is dead, so that a request costs the same whatever the limit is.
    if (this.head * 2 <= this.times.length) return;
    this.times = this.times.slice(this.head);
    this.counts = this.counts.slice(this.head);
    this.head = 0;
  }
}
