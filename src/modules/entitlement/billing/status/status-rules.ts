import type { Allowance, BlockReason } from '../../quotas/index.js';

export const RECOMMENDED_ACTIONS = ['upgrade', 'contact_support', 'none'] as const;
export type RecommendedAction = (typeof RECOMMENDED_ACTIONS)[number];

/** Of a positive, finite limit at least 80 % are used, and not all of it (SERVICE 2.4). In whole numbers, so that 80 % is exact. */
export function isNearLimit({ used, limit }: Allowance): boolean {
  return limit !== null && limit > 0 && used * 5 >= limit * 4 && used < limit;
}

export function remainingOf({ used, limit }: Allowance): number | null {
  return limit === null ? null : Math.max(0, limit - used);
}

/** SERVICE 2.4; a reason without a remedy of its own gives `none`. */
export function recommendedAction(reason: BlockReason | null): RecommendedAction {
  switch (reason) {
    case 'billing_inactive':
    case 'limit_exceeded':
      return 'upgrade';
    case 'blocked':
      return 'contact_support';
    default:
      return 'none';
  }
}
