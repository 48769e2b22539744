export { EventRecorder } from './event-recorder.js';
export { EventsModule } from './events.module.js';
export { firstObject, firstText } from './log-derivation.js';
export { decodeCursor, encodeCursor, type Place } from './reads/cursor.js';
export { EVENT_COLUMNS, EventRecord, eventRecord, type StoredEvent } from './reads/event-record.js';
