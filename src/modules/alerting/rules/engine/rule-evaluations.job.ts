import { defineJob } from '../../../../platform/queue/index.js';

/** Matching events and evaluating windows, which know nothing of each other. */
export const RULE_PARTS = ['matches', 'windows'] as const;
export type RulePart = (typeof RULE_PARTS)[number];

/** Without a part: both, one after the other. */
export interface RuleEvaluations {
  readonly part?: RulePart;
}

/** One look for events to match and rules that are due. Every worker process does it by its own timers. */
export const ruleEvaluationsJob = defineJob<RuleEvaluations, { processed: number }>({ name: 'rule-evaluations' });
