export { COPIED_SIZES, type CopiedConditions, CopiedPlacesReader } from './copied-places.reader.js';
export { decodeCursor, encodeCursor, type Place } from './cursor.js';
export { EventPageReader, PAGE_BYTES } from './event-page-reader.js';
export { type EventPlace, type EventSize, PLACE_COLUMNS, SIZE_COLUMNS } from './event-places.js';
export { EventReadsModule } from './reads.module.js';
export { EventPlacesReader } from './event-places.reader.js';
export { eventMembers, eventRecord, RECORD_MEMBERS, RECORDS } from './event-record.js';
export { EventRowsReader, type Selection } from './event-rows.reader.js';
export { ReadBudget, TooManyLargeReads } from './read-budget.js';
