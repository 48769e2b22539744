import type { BlockReason } from '../../quotas/index.js';

export const RECOMMENDED_ACTIONS = ['upgrade', 'contact_support', 'none'] as const;
export type RecommendedAction = (typeof RECOMMENDED_ACTIONS)[number];

/** Returns the action that lifts the block. Returns `none` without a block, and for a reason that no action lifts. */
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
