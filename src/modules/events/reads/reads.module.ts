import { Module } from '@nestjs/common';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { EventRetentionModule } from '../retention/index.js';
import { EventTotalsModule } from '../totals/index.js';
import { CopiedPlacesReader } from './copied-places.reader.js';
import { EventPageReader } from './event-page-reader.js';
import { EventReadsController } from './reads.controller.js';
import { EventPlacesReader } from './event-places.reader.js';
import { EventReadsService } from './reads.service.js';
import { EventRowsReader } from './event-rows.reader.js';
import { ReadBudget } from './read-budget.js';

@Module({
  imports: [EventRetentionModule, EventStoreModule, EventTotalsModule, ProjectsModule],
  controllers: [EventReadsController],
  providers: [CopiedPlacesReader, EventPlacesReader, EventRowsReader, ReadBudget, EventPageReader, EventReadsService],
  exports: [CopiedPlacesReader, EventPlacesReader, EventRowsReader, EventPageReader, ReadBudget],
})
export class EventReadsModule {}
