import { Module } from '@nestjs/common';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { EventTotalsModule } from '../totals/index.js';
import { EventPageReader } from './event-page-reader.js';
import { EventReadsController } from './reads.controller.js';
import { EventPlacesRepository } from './event-places.repository.js';
import { EventReadsService } from './reads.service.js';
import { EventRowsRepository } from './event-rows.repository.js';
import { ReadBudget } from './read-budget.js';

@Module({
  imports: [EventTotalsModule, ProjectsModule],
  controllers: [EventReadsController],
  providers: [EventPlacesRepository, EventRowsRepository, ReadBudget, EventPageReader, EventReadsService],
  exports: [EventPlacesRepository, EventRowsRepository, EventPageReader, ReadBudget],
})
export class EventReadsModule {}
