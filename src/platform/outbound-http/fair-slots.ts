/**
 * A limit on what runs at once, in all and for each share (a tenant): the waiting of one share never holds up another's.
 * Shares with somebody waiting take turns; within a share the first come is the first served.
 */
export class FairSlots {
  private running = 0;
  private readonly runningOf = new Map<string, number>();
  private readonly waitingOf = new Map<string, Set<() => void>>();

  constructor(
    private readonly most: number,
    private readonly mostOfShare: number,
  ) {}

  /** Runs the job in a slot; undefined when the signal came before there was one. */
  async run<T>(share: string, signal: AbortSignal, job: () => Promise<T>): Promise<T | undefined> {
    if (!(await this.enter(share, signal))) return undefined;
    try {
      return await job();
    } finally {
      this.leave(share);
    }
  }

  private enter(share: string, signal: AbortSignal): boolean | Promise<boolean> {
    if (signal.aborted) return false;
    if (this.hasRoomFor(share)) {
      this.take(share);
      return true;
    }
    return new Promise((resolve) => {
      const waiting = this.waitingOf.get(share) ?? new Set();
      this.waitingOf.set(share, waiting);
      const admit = () => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const giveUp = () => {
        waiting.delete(admit);
        if (waiting.size === 0 && this.waitingOf.get(share) === waiting) this.waitingOf.delete(share);
        resolve(false);
      };
      waiting.add(admit);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  private hasRoomFor(share: string): boolean {
    return this.running < this.most && (this.runningOf.get(share) ?? 0) < this.mostOfShare;
  }

  private take(share: string): void {
    this.running++;
    this.runningOf.set(share, (this.runningOf.get(share) ?? 0) + 1);
  }

  private leave(share: string): void {
    this.running--;
    const left = (this.runningOf.get(share) ?? 1) - 1;
    if (left === 0) this.runningOf.delete(share);
    else this.runningOf.set(share, left);
    for (const [next, waiting] of this.waitingOf) {
      if (!this.hasRoomFor(next)) continue;
      const [admit] = waiting;
      if (admit === undefined) continue;
      waiting.delete(admit);
      // To the end of the line of shares.
      this.waitingOf.delete(next);
      if (waiting.size > 0) this.waitingOf.set(next, waiting);
      this.take(next);
      admit();
      return;
    }
  }
}
