export { ReadDeadline, type TextTest } from './read-deadline.js';
export { LONG_READ_MS, LONG_READ_SLOTS, LongReads, QueryTooLong, TooManyQueries } from './long-reads.js';
export { LongReadsModule } from './long-reads.module.js';
export { LongSnapshots } from './long-snapshots.js';
