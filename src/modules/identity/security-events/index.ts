export { SecurityEvent } from './security-event.entity.js';
export { SECURITY_EVENT_TYPES, type SecurityEventType } from './security-event-types.js';
export { SecurityEventsModule } from './security-events.module.js';
export { SecurityEventsReader } from './security-events.reader.js';
export { type SecurityAct, SecurityEventsWriter } from './security-events.writer.js';
