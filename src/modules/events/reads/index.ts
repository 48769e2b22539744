export { decodeCursor, encodeCursor, type Place } from './cursor.js';
export { EventPages, PAGE_BYTES } from './event-pages.js';
export { type EventPlace, PLACE_COLUMNS } from './event-places.js';
export { EventReadsModule } from './event-reads.module.js';
export { EventReads } from './event-reads.repository.js';
export { eventMembers, eventRecord, RECORD_MEMBERS, RECORDS } from './event-record.js';
export { EventRows, type Fitting, type Selection } from './event-rows.repository.js';
export { ReadBudget, TooManyLargeReads } from './read-budget.js';
