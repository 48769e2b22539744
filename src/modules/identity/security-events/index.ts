export { SecurityEvent } from './security-event.entity.js';
export type { SecurityEventType } from './security-event-types.js';
export { SecurityEventsModule } from './security-events.module.js';
export { SecurityEventsRepository } from './security-events.repository.js';
export { type SecurityAct, SecurityEventsWriter } from './security-events.writer.js';
