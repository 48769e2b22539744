import type { BlockReason } from '../../quotas/index.js';

export const RECOMMENDED_ACTIONS = ['upgrade', 'contact_support', 'none'] as const;
export type RecommendedAction = (typeof RECOMMENDED_ACTIONS)[number];

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
