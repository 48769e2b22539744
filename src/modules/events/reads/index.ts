export { EventPageReader, PAGE_BYTES } from './event-page-reader.js';
export { EventReadsModule } from './reads.module.js';
export { eventMembers, eventRecord, RECORD_MEMBERS, RECORDS } from './event-record.js';
export { ReadBudget, TooManyLargeReads } from './read-budget.js';
