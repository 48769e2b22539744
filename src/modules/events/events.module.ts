import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { EventStreamsModule } from '../event-streams/index.js';
import { EventTotalsModule } from '../event-totals/index.js';
import { IngestionFailuresModule } from '../ingestion-failures/index.js';
import { ProjectsModule } from '../projects/index.js';
import { QuotasModule } from '../quotas/index.js';
import { BatchIngestService } from './batch-ingest.service.js';
import { EventAdmission } from './event-admission.js';
import { EventRecorder } from './event-recorder.js';
import { EventRefusals } from './event-refusals.js';
import { EventsOfDeletedProjects } from './events-of-deleted-projects.js';
import { EventsRepository } from './events.repository.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { EventPartitions } from './partitions.js';
import { QueueDrained } from './queueing/queue-drained.js';
import { QUEUE_PROVIDERS } from './queueing/queue.providers.js';
import { EventReadsController } from './reads/event-reads.controller.js';
import { EventPages } from './reads/event-pages.js';
import { EventReads } from './reads/event-reads.repository.js';
import { EventReadsService } from './reads/event-reads.service.js';
import { EventRows } from './reads/event-rows.repository.js';
import { ReadBudget } from './reads/read-budget.js';
import { EventFeed } from './stream/event-feed.js';
import { EventStreamController } from './stream/event-stream.controller.js';
import { SettledEvents } from './stream/settled-events.js';
import { CounterAudit } from './upkeep/counter-audit.js';
import { IdempotencyExpiry } from './upkeep/idempotency-expiry.js';
import { EVENT_WRITER } from './writing/event-writer.provider.js';

@Module({
  imports: [
    ApiKeysModule,
    EventStreamsModule,
    EventTotalsModule,
    ProjectsModule,
    QuotasModule,
    IngestionFailuresModule,
  ],
  controllers: [IngestController, EventReadsController, EventStreamController],
  providers: [
    IngestService,
    BatchIngestService,
    EventRecorder,
    EventAdmission,
    EVENT_WRITER,
    ...QUEUE_PROVIDERS,
    EventsRepository,
    EventPartitions,
    EventsOfDeletedProjects,
    EventReads,
    EventRows,
    ReadBudget,
    EventPages,
    EventRefusals,
    EventReadsService,
    EventFeed,
    SettledEvents,
    IdempotencyExpiry,
    CounterAudit,
  ],
  exports: [EventFeed, EventReads, EventRows, EventPages, ReadBudget, EventRecorder, QueueDrained, SettledEvents],
})
export class EventsModule {}
