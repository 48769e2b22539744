import type { ReadDeadline } from '../../long-reads/index.js';

/** A new limit is set once less than this share of the current limit is left. */
const ENOUGH = 31 / 32;

/**
 * The time limit for the statements of one snapshot. Short statements share a limit, which saves a statement for each
 * of them.
 */
export class StatementTime {
  /** The limit that is set in the transaction, or more. Every snapshot begins with a limit. */
  private limit: number;

  constructor(private readonly deadline: ReadDeadline) {
    this.limit = deadline.milliseconds;
  }

  /**
   * @returns the limit to set before the next statement in milliseconds, or null when the current limit is sufficient
   * @throws QueryTooLong
   */
  next(): number | null {
    const left = this.deadline.left();
    if (left >= this.limit * ENOUGH) return null;
    this.limit = left;
    return left;
  }
}
