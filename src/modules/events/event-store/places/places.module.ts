import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventRetentionModule } from '../retention/retention.module.js';
import { EventTotalsModule } from '../totals/totals.module.js';
import { ClickHouseListReader } from './clickhouse-list.reader.js';
import { EventPlacesReader } from './event-places.reader.js';
import { ExploredPlacesReader } from './explored-places.reader.js';
import { NewestPlacesReader } from './newest-places.reader.js';
import { SourceEventsReader } from './source-events.reader.js';

/** Lists of events. */
@Module({
  imports: [EventReplicationModule, EventRetentionModule, EventTotalsModule],
  providers: [ClickHouseListReader, EventPlacesReader, ExploredPlacesReader, NewestPlacesReader, SourceEventsReader],
  exports: [ClickHouseListReader, EventPlacesReader, ExploredPlacesReader, SourceEventsReader],
})
export class EventPlacesModule {}
