import { Module } from '@nestjs/common';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { LatenciesRepository } from './latencies.repository.js';
import { EventTotalsRepository } from './totals.repository.js';

@Module({
  providers: [EventTotalsRepository, LatenciesRepository, belongsToProject(EventTotalsRepository)],
  exports: [EventTotalsRepository, LatenciesRepository],
})
export class EventTotalsModule {}
