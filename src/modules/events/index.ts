export { EventsModule } from './events.module.js';
export { firstObject, firstText } from './log-derivation.js';
export { encodeCursor, type Place } from './reads/cursor.js';
export { EVENT_COLUMNS, EventRecord, eventRecord, type StoredEvent } from './reads/event-record.js';
export { EventReads } from './reads/event-reads.repository.js';
