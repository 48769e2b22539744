/** A batch should not take longer. */
export const LONGEST_MS = 5_000;
const LONGEST_REST_MS = 60_000;
/** After so many failures of the smallest batch, over several minutes, there is no hope for it. */
const HOPELESS_AFTER = 10;

interface Size {
  readonly most: number;
  /** How often even the smallest batch did not get through, one after the other. */
  readonly failures: number;
  /** How often something failed that the events are not to blame for, one after the other. */
  readonly faults: number;
  /** Not to be tried before. */
  readonly restsUntil: number;
}

/**
 * How much the batches of each project take, as this process has learned: ten times less after one that took too long,
 * twice as much after one that did not. A project of which not even one gets through is left alone for a while, a second at
 * first and a minute at most. Times are milliseconds of `performance.now()`.
 */
export class BatchSizes {
  private readonly known = new Map<string, Size>();
  private readonly whole: Size;

  /** @param most what one batch takes on when all is well */
  constructor(private readonly most: number) {
    this.whole = { most, failures: 0, faults: 0, restsUntil: 0 };
  }

  of(projectId: string): number {
    return this.sizeOf(projectId).most;
  }

  rests(projectId: string, now: number): boolean {
    return now < this.sizeOf(projectId).restsUntil;
  }

  /** Whether the one that does not get through has been tried often enough. */
  isHopeless(projectId: string): boolean {
    return this.sizeOf(projectId).failures >= HOPELESS_AFTER;
  }

  went(projectId: string, tookMs: number): void {
    const { most } = this.sizeOf(projectId);
    this.set(projectId, { ...this.whole, most: tookMs > LONGEST_MS ? smaller(most) : Math.min(this.most, most * 2) });
  }

  /** @returns whether a smaller batch can be tried now */
  tookTooLong(projectId: string, now: number): boolean {
    const { most, failures } = this.sizeOf(projectId);
    if (most > 1) {
      this.set(projectId, { ...this.whole, most: smaller(most) });
      return true;
    }
    this.set(projectId, { ...this.whole, most, failures: failures + 1, restsUntil: now + restAfter(failures) });
    return false;
  }

  /**
   * Something is wrong that less work would not mend, and nobody knows for how long.
   * @returns for how long the project is left alone, milliseconds
   */
  failed(projectId: string, now: number): number {
    const size = this.sizeOf(projectId);
    const restMs = restAfter(size.faults);
    this.set(projectId, { ...size, faults: size.faults + 1, restsUntil: now + restMs });
    return restMs;
  }

  /** Whatever was wrong is over. */
  recovered(projectId: string): void {
    const size = this.sizeOf(projectId);
    if (size.faults > 0) this.set(projectId, { ...size, faults: 0, restsUntil: 0 });
  }

  private sizeOf(projectId: string): Size {
    return this.known.get(projectId) ?? this.whole;
  }

  /** Only what differs from the usual is kept. */
  private set(projectId: string, size: Size): void {
    if (size.most === this.most && size.faults === 0) this.known.delete(projectId);
    else this.known.set(projectId, size);
  }
}

/** A second after the first time, twice as long after each further one. */
function restAfter(times: number): number {
  return Math.min(LONGEST_REST_MS, 1_000 * 2 ** times);
}

function smaller(most: number): number {
  return Math.max(1, Math.floor(most / 10));
}
