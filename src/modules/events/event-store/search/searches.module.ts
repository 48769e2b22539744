import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventRetentionModule } from '../retention/retention.module.js';
import { CopiedEventSearchReader } from './copied-event-search.reader.js';
import { EventSearchReader } from './event-search.reader.js';
import { EventTypeSearch } from './event-type-search.reader.js';

/** Searches events and event types by words. */
@Module({
  imports: [EventReplicationModule, EventRetentionModule],
  providers: [CopiedEventSearchReader, EventSearchReader, EventTypeSearch],
  exports: [CopiedEventSearchReader, EventSearchReader, EventTypeSearch],
})
export class EventSearchesModule {}
