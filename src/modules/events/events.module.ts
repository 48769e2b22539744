import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { EventTotalsModule } from '../event-totals/index.js';
import { IngestionFailuresModule } from '../ingestion-failures/index.js';
import { ProjectsModule } from '../projects/index.js';
import { QuotasModule } from '../quotas/index.js';
import { EventAdmission } from './event-admission.js';
import { EventRecorder } from './event-recorder.js';
import { EventsOfDeletedProjects } from './events-of-deleted-projects.js';
import { EventsRepository } from './events.repository.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { EventPartitions } from './partitions.js';
import { EventReadsController } from './reads/event-reads.controller.js';
import { EventReads } from './reads/event-reads.repository.js';
import { EventReadsService } from './reads/event-reads.service.js';
import { EVENT_WRITER } from './writing/event-writer.provider.js';
import { EventWriter } from './writing/event-writer.js';
import { EventIntake } from './writing/write-request.js';

@Module({
  imports: [ApiKeysModule, EventTotalsModule, ProjectsModule, QuotasModule, IngestionFailuresModule],
  controllers: [IngestController, EventReadsController],
  providers: [
    IngestService,
    EventRecorder,
    EventAdmission,
    EVENT_WRITER,
    { provide: EventIntake, useExisting: EventWriter },
    EventsRepository,
    EventPartitions,
    EventsOfDeletedProjects,
    EventReads,
    EventReadsService,
  ],
  exports: [EventReads, EventRecorder],
})
export class EventsModule {}
