export { EventStoreModule } from './event-store.module.js';
export { moveEvents } from './moving/move-events.js';
export { CopiedEventsReader, CopyCannotTell, CopyReadTooLong } from './reading/copied-events.reader.js';
export { withDoubles } from './reading/readable-json.js';
export { writtenIds } from './reading/written-ids.js';
export { instantSql } from './reading/instant-sql.js';
export { MOST_UNCOPIED, uncopiedSql, UncopiedEventsReader, waitingSql } from './reading/uncopied-events.reader.js';
export { CopyLagReader } from './shipping/copy-lag.reader.js';
