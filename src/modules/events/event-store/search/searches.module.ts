import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventRetentionModule } from '../retention/retention.module.js';
import { ClickHouseEventSearchReader } from './clickhouse-event-search.reader.js';
import { EventSearchReader } from './event-search.reader.js';
import { EventTypeSearch } from './event-type-search.reader.js';

/** Searches events and event types by words. */
@Module({
  imports: [EventReplicationModule, EventRetentionModule],
  providers: [ClickHouseEventSearchReader, EventSearchReader, EventTypeSearch],
  exports: [ClickHouseEventSearchReader, EventSearchReader, EventTypeSearch],
})
export class EventSearchesModule {}
