import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventAggregationModule } from '../aggregation/aggregation.module.js';
import { ClickHouseFunnelRepository } from './clickhouse-funnel.repository.js';
import { FunnelEventsRepository } from './funnel-events.repository.js';
import { FunnelsReader } from './funnels.reader.js';

/** Reads the sequences of events that funnels need. */
@Module({
  imports: [EventReplicationModule, EventAggregationModule],
  providers: [ClickHouseFunnelRepository, FunnelEventsRepository, FunnelsReader],
  exports: [FunnelsReader],
})
export class EventFunnelsModule {}
