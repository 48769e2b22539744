export { decodeCursor, encodeCursor, type Place } from './cursor.js';
export { EventPageReader, PAGE_BYTES } from './event-page-reader.js';
export { type EventPlace, PLACE_COLUMNS } from './event-places.js';
export { EventReadsModule } from './reads.module.js';
export { EventPlacesRepository } from './event-places.repository.js';
export { eventMembers, eventRecord, RECORD_MEMBERS, RECORDS } from './event-record.js';
export { EventRowsRepository, type Selection } from './event-rows.repository.js';
export { ReadBudget, TooManyLargeReads } from './read-budget.js';
