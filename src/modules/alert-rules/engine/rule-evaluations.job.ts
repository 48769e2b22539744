import { defineJob, type NoPayload } from '../../../platform/queue/index.js';

/** One look for events to match and rules that are due. Every worker process does it by its own timer. */
export const ruleEvaluationsJob = defineJob<NoPayload, { processed: number }>({ name: 'rule-evaluations' });
