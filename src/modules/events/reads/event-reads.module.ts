import { Module } from '@nestjs/common';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { EventTotalsModule } from '../totals/index.js';
import { EventPages } from './event-pages.js';
import { EventReadsController } from './event-reads.controller.js';
import { EventReads } from './event-reads.repository.js';
import { EventReadsService } from './event-reads.service.js';
import { EventRows } from './event-rows.repository.js';
import { ReadBudget } from './read-budget.js';

@Module({
  imports: [EventTotalsModule, ProjectsModule],
  controllers: [EventReadsController],
  providers: [EventReads, EventRows, ReadBudget, EventPages, EventReadsService],
  exports: [EventReads, EventRows, EventPages, ReadBudget],
})
export class EventReadsModule {}
