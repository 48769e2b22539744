import { defineJob } from '../../../../platform/queue/index.js';

/** Matching events and evaluating windows are independent of each other. */
export const RULE_PARTS = ['matches', 'windows'] as const;
export type RulePart = (typeof RULE_PARTS)[number];

/** Without `part`, Sentinel and both parts run one after the other. */
export interface RuleEvaluations {
  readonly part?: RulePart;
}

/** Matches waiting events and evaluates due rules. Every worker process runs the job by its own timers. */
export const ruleEvaluationsJob = defineJob<RuleEvaluations, { processed: number }>({ name: 'rule-evaluations' });
