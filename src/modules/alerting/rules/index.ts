export { AlertRulesModule } from './alert-rules.module.js';
export { ruleEvaluationsJob } from './engine/rule-evaluations.job.js';
