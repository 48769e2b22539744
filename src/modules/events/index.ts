export { EventRecorder } from './event-recorder.js';
export { EventsModule } from './events.module.js';
export { endOfString } from './json-text.js';
export { QueueDrained } from './queueing/queue-drained.js';
export { decodeCursor, encodeCursor, type Place } from './reads/cursor.js';
export { EventPages, PAGE_BYTES } from './reads/event-pages.js';
export { type EventPlace, PLACE_COLUMNS } from './reads/event-places.js';
export {
  EVENT_COLUMNS,
  eventMembers,
  EventRecord,
  eventRecord,
  RECORDS,
  type StoredEvent,
} from './reads/event-record.js';
export { EventReads } from './reads/event-reads.repository.js';
export { EventRows, type Fitting, type Selection } from './reads/event-rows.repository.js';
export { ReadBudget, TooManyLargeReads } from './reads/read-budget.js';
export { EventFeed } from './stream/event-feed.js';
export { STREAM_RULES } from './stream/event-stream.controller.js';
export { SettledEvents } from './stream/settled-events.js';
export { INGEST_CONNECTION_NAME } from './writing/event-writer.provider.js';
