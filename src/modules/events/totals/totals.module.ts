import { Module } from '@nestjs/common';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { LatenciesReader } from './latencies.reader.js';
import { EventTotalsReader } from './totals.reader.js';
import { EventTotalsRepository } from './totals.repository.js';

@Module({
  providers: [EventTotalsReader, EventTotalsRepository, LatenciesReader, belongsToProject(EventTotalsRepository)],
  exports: [EventTotalsReader, LatenciesReader],
})
export class EventTotalsModule {}
