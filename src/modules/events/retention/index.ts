export { HotEvents } from './hot-events.js';
export { HotMonthsReader } from './hot-months.reader.js';
export { RetainedEvents } from './retained-events.js';
export { EventRetentionModule } from './retention.module.js';
