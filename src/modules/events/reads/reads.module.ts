import { Module } from '@nestjs/common';
import { TimeRangesModule } from '../time-ranges/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { EventPageReader } from './event-page-reader.js';
import { EventReadsController } from './reads.controller.js';
import { EventReadsService } from './reads.service.js';
import { ReadBudget } from './read-budget.js';

@Module({
  imports: [EventStoreModule, ProjectsModule, TimeRangesModule],
  controllers: [EventReadsController],
  providers: [ReadBudget, EventPageReader, EventReadsService],
  exports: [EventPageReader, ReadBudget],
})
export class EventReadsModule {}
