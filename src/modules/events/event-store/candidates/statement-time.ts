import type { Deadline } from '../../long-reads/index.js';

/** A limit stands while as much as this part of it is left. */
const ENOUGH = 31 / 32;

/** What statements of one snapshot may take: their limit is not set anew for each of many short ones. */
export class StatementTime {
  /** No less than what is set, which every snapshot begins with. */
  private limit: number;

  constructor(private readonly deadline: Deadline) {
    this.limit = deadline.milliseconds;
  }

  /**
   * @returns the limit to be set for the next statement in milliseconds; null: the one that is set will do
   * @throws QueryTooLong
   */
  next(): number | null {
    const left = this.deadline.left();
    if (left >= this.limit * ENOUGH) return null;
    this.limit = left;
    return left;
  }
}
