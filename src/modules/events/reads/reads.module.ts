import { Module } from '@nestjs/common';
import { AskedWindowsModule } from '../asked-windows/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { EventPageReader } from './event-page-reader.js';
import { EventReadsController } from './reads.controller.js';
import { EventReadsService } from './reads.service.js';
import { ReadBudget } from './read-budget.js';

@Module({
  imports: [EventStoreModule, ProjectsModule, AskedWindowsModule],
  controllers: [EventReadsController],
  providers: [ReadBudget, EventPageReader, EventReadsService],
  exports: [EventPageReader, ReadBudget],
})
export class EventReadsModule {}
