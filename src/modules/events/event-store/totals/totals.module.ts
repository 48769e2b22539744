import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { belongsToProject } from '../../../tenancy/projects/index.js';
import { EventRetentionModule } from '../retention/retention.module.js';
import { ArrivalsReader } from './arrivals.reader.js';
import { ArchivedEdgesReader } from './archived-edges.reader.js';
import { LatenciesReader } from './latencies.reader.js';
import { EventTotalsReader } from './totals.reader.js';
import { EventTotalsRepository } from './totals.repository.js';

@Module({
  imports: [EventReplicationModule, EventRetentionModule],
  providers: [
    ArrivalsReader,
    ArchivedEdgesReader,
    EventTotalsReader,
    EventTotalsRepository,
    LatenciesReader,
    belongsToProject(EventTotalsRepository),
  ],
  exports: [ArrivalsReader, ArchivedEdgesReader, EventTotalsReader, LatenciesReader],
})
export class EventTotalsModule {}
