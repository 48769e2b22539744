/** Rows that one transaction takes on when all is well. */
const MOST_ROWS = 500;
/** A batch should not take longer. */
export const LONGEST_MS = 5_000;
const LONGEST_REST_MS = 60_000;

interface Size {
  readonly rows: number;
  /** How often even the smallest batch did not get through, one after the other. */
  readonly failures: number;
  /** Not to be tried before. */
  readonly restsUntil: number;
}

const WHOLE: Size = { rows: MOST_ROWS, failures: 0, restsUntil: 0 };

/**
 * How many rows the batches of each project take, as this process has learned: ten times fewer after one that took too
 * long, twice as many after one that did not. A project of which not even one row gets through is left alone for a while,
 * a second at first and a minute at most. Times are milliseconds of `performance.now()`.
 */
export class BatchSizes {
  private readonly known = new Map<string, Size>();

  of(projectId: string): number {
    return this.sizeOf(projectId).rows;
  }

  rests(projectId: string, now: number): boolean {
    return now < this.sizeOf(projectId).restsUntil;
  }

  went(projectId: string, tookMs: number): void {
    const { rows } = this.sizeOf(projectId);
    if (tookMs > LONGEST_MS) this.set(projectId, { ...WHOLE, rows: smaller(rows) });
    else this.set(projectId, { ...WHOLE, rows: Math.min(MOST_ROWS, rows * 2) });
  }

  /** @returns whether a smaller batch can be tried now */
  tookTooLong(projectId: string, now: number): boolean {
    const { rows, failures } = this.sizeOf(projectId);
    if (rows > 1) {
      this.set(projectId, { ...WHOLE, rows: smaller(rows) });
      return true;
    }
    const restMs = Math.min(LONGEST_REST_MS, 1_000 * 2 ** failures);
    this.set(projectId, { rows, failures: failures + 1, restsUntil: now + restMs });
    return false;
  }

  private sizeOf(projectId: string): Size {
    return this.known.get(projectId) ?? WHOLE;
  }

  /** Only what differs from the usual is kept. */
  private set(projectId: string, size: Size): void {
    if (size.rows === MOST_ROWS) this.known.delete(projectId);
    else this.known.set(projectId, size);
  }
}

function smaller(rows: number): number {
  return Math.max(1, Math.floor(rows / 10));
}
