export { EqlModule } from './eql.module.js';
export { readCondition } from './query-refusal.js';
