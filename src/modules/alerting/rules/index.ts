export { AlertRulesModule } from './rules.module.js';
export { ruleEvaluationsJob } from './engine/rule-evaluations.job.js';
