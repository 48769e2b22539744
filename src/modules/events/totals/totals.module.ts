import { Module } from '@nestjs/common';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { EventTotalsRepository } from './totals.repository.js';

@Module({
  providers: [EventTotalsRepository, belongsToProject(EventTotalsRepository)],
  exports: [EventTotalsRepository],
})
export class EventTotalsModule {}
