import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { belongsToProject } from '../../../tenancy/projects/index.js';
import { EventRetentionModule } from '../retention/retention.module.js';
import { ArrivalsReader } from './arrivals.reader.js';
import { ColdEdgesReader } from './cold-edges.reader.js';
import { LatenciesReader } from './latencies.reader.js';
import { EventTotalsReader } from './totals.reader.js';
import { EventTotalsRepository } from './totals.repository.js';

@Module({
  imports: [EventReplicationModule, EventRetentionModule],
  providers: [
    ArrivalsReader,
    ColdEdgesReader,
    EventTotalsReader,
    EventTotalsRepository,
    LatenciesReader,
    belongsToProject(EventTotalsRepository),
  ],
  exports: [ArrivalsReader, ColdEdgesReader, EventTotalsReader, LatenciesReader],
})
export class EventTotalsModule {}
