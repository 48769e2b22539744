export { EqlModule } from './eql.module.js';
export { type FittingEvents, FittingEventsReader } from './running/fitting-events.reader.js';
export { readCondition } from './query-refusal.js';
