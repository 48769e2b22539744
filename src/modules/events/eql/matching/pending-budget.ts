import { domainError } from '../../../../platform/http/domain-error.js';

export class QueryNeedsTooMuchMemory extends domainError(
  503,
  'EQL query needs too much memory: add a maxspan or narrow it down',
) {}

/**
 * Limits the memory of one query, counted in pieces. A piece is a pending partial, or anything else that takes as much
 * memory.
 */
export class PendingBudget {
  private kept = 0;

  constructor(private readonly most: number) {}

  /** @throws QueryNeedsTooMuchMemory */
  take(pieces = 1): void {
    this.kept += pieces;
    if (this.kept > this.most) throw new QueryNeedsTooMuchMemory();
  }

  giveBack(pieces = 1): void {
    this.kept -= pieces;
  }
}
