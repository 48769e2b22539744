import { Module } from '@nestjs/common';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { EventTotals } from './event-totals.js';
import { EventTotalsRepository } from './event-totals.repository.js';

@Module({
  providers: [EventTotals, EventTotalsRepository, belongsToProject(EventTotalsRepository)],
  exports: [EventTotals],
})
export class EventTotalsModule {}
