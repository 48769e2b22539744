/** A batch that takes longer makes the next batches of its project smaller. */
export const LONGEST_MS = 5_000;
const LONGEST_REST_MS = 60_000;
/** The smallest batch is given up after this many failures in a row, which take several minutes. */
const HOPELESS_AFTER = 10;

interface Size {
  readonly most: number;
  /** How often in a row even the smallest batch took too long. */
  readonly failures: number;
  /** How often in a row the work failed for reasons other than its events. */
  readonly faults: number;
  /** The project is not tried again before this time. */
  readonly restsUntil: number;
}

/**
 * Adapts the batch size of each project in this process. A batch that took too long cuts the size to a tenth, and any
 * other batch doubles the size. A project whose smallest batch takes too long pauses, for a second at first and a
 * minute at most. Times are milliseconds of `performance.now()`.
 */
export class BatchSizes {
  private readonly known = new Map<string, Size>();
  private readonly whole: Size;

  /** @param most the size of a batch when nothing is slow */
  constructor(private readonly most: number) {
    this.whole = { most, failures: 0, faults: 0, restsUntil: 0 };
  }

  of(projectId: string): number {
    return this.sizeOf(projectId).most;
  }

  rests(projectId: string, now: number): boolean {
    return now < this.sizeOf(projectId).restsUntil;
  }

  /** Returns whether the smallest batch has failed so often that it should be given up. */
  isHopeless(projectId: string): boolean {
    return this.sizeOf(projectId).failures >= HOPELESS_AFTER;
  }

  went(projectId: string, tookMs: number): void {
    const { most } = this.sizeOf(projectId);
    this.set(projectId, { ...this.whole, most: tookMs > LONGEST_MS ? smaller(most) : Math.min(this.most, most * 2) });
  }

  /** @returns whether a smaller batch can be tried at once */
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
   * Records a failure that a smaller batch would not avoid.
   * @returns how long the project pauses, in milliseconds
   */
  failed(projectId: string, now: number): number {
    const size = this.sizeOf(projectId);
    const restMs = restAfter(size.faults);
    this.set(projectId, { ...size, faults: size.faults + 1, restsUntil: now + restMs });
    return restMs;
  }

  /** Ends the pause that {@link failed} began, because work succeeds again. */
  recovered(projectId: string): void {
    const size = this.sizeOf(projectId);
    if (size.faults > 0) this.set(projectId, { ...size, faults: 0, restsUntil: 0 });
  }

  private sizeOf(projectId: string): Size {
    return this.known.get(projectId) ?? this.whole;
  }

  /** Stores a size only while it differs from the default. */
  private set(projectId: string, size: Size): void {
    if (size.most === this.most && size.faults === 0) this.known.delete(projectId);
    else this.known.set(projectId, size);
  }
}

/** Returns milliseconds: a second after the first failure, twice as long after each further one, at most a minute. */
function restAfter(times: number): number {
  return Math.min(LONGEST_REST_MS, 1_000 * 2 ** times);
}

function smaller(most: number): number {
  return Math.max(1, Math.floor(most / 10));
}
