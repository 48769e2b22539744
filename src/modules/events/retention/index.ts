export { RetainedEvents } from './retained-events.js';
export { EventRetentionModule } from './retention.module.js';
