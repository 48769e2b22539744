export { EqlModule } from './eql.module.js';
export { compileCondition, type EventCondition } from './compiling/event-condition.js';
export type { FittingEvents } from './running/fitting-events.reader.js';
export { FittingEventsReader } from './running/fitting-events.reader.js';
export type { Work } from './compiling/evaluate.js';
export { readCondition } from './query-refusal.js';
