import type { BlockReason } from '../../quotas/index.js';

export const RECOMMENDED_ACTIONS = ['upgrade', 'contact_support', 'none'] as const;
export type RecommendedAction = (typeof RECOMMENDED_ACTIONS)[number];

/** Returns what lifts the block: `none` without a block, or when its reason has no remedy of its own. */
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
