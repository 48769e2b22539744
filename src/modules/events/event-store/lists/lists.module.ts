import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventRetentionModule } from '../retention/retention.module.js';
import { EventTotalsModule } from '../totals/totals.module.js';
import { ClickHouseListReader } from './clickhouse-list.reader.js';
import { EventListReader } from './event-list.reader.js';
import { ExploredListReader } from './explored-list.reader.js';
import { NewestListReader } from './newest-list.reader.js';
import { SourceEventsReader } from './source-events.reader.js';

/** Lists of events. */
@Module({
  imports: [EventReplicationModule, EventRetentionModule, EventTotalsModule],
  providers: [ClickHouseListReader, EventListReader, ExploredListReader, NewestListReader, SourceEventsReader],
  exports: [ClickHouseListReader, EventListReader, ExploredListReader, SourceEventsReader],
})
export class EventListsModule {}
