import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { EventTotalsModule } from '../event-totals/index.js';
import { ProjectsModule } from '../projects/index.js';
import { EventsOfDeletedProjects } from './events-of-deleted-projects.js';
import { EventsRepository } from './events.repository.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { EventPartitions } from './partitions.js';
import { EventReadsController } from './reads/event-reads.controller.js';
import { EventReads } from './reads/event-reads.repository.js';
import { EventReadsService } from './reads/event-reads.service.js';

@Module({
  imports: [ApiKeysModule, EventTotalsModule, ProjectsModule],
  controllers: [IngestController, EventReadsController],
  providers: [IngestService, EventsRepository, EventPartitions, EventsOfDeletedProjects, EventReads, EventReadsService],
  exports: [EventReads],
})
export class EventsModule {}
