import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventQuestionsModule } from '../questions/questions.module.js';
import { ClickHouseFunnelRepository } from './clickhouse-funnel.repository.js';
import { FunnelEventsRepository } from './funnel-events.repository.js';
import { FunnelsReader } from './funnels.reader.js';

/** Reads the sequences of events that funnels need. */
@Module({
  imports: [EventReplicationModule, EventQuestionsModule],
  providers: [ClickHouseFunnelRepository, FunnelEventsRepository, FunnelsReader],
  exports: [FunnelsReader],
})
export class EventFunnelsModule {}
