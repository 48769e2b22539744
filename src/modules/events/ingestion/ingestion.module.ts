import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { IngestionFailuresModule } from '../../entitlement/ingestion-failures/index.js';
import { belongsToProject, ProjectsModule } from '../../tenancy/projects/index.js';
import { QuotasModule } from '../../entitlement/quotas/index.js';
import { BatchIngestService } from './batch-ingest.service.js';
import { EventAdmission } from './event-admission.js';
import { EventRecorder } from './event-recorder.js';
import { EventRefusals } from './event-refusals.js';
import { EventsRepository } from './events.repository.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { EventPartitions } from './partitions.js';
import { QueueDrained } from './queueing/queue-drained.js';
import { QUEUE_PROVIDERS } from './queueing/queue.providers.js';
import { CounterAudit } from './upkeep/counter-audit.js';
import { IdempotencyExpiry } from './upkeep/idempotency-expiry.js';
import { EVENT_WRITER } from './writing/event-writer.provider.js';

@Module({
  imports: [ApiKeysModule, ProjectsModule, QuotasModule, IngestionFailuresModule],
  controllers: [IngestController],
  providers: [
    IngestService,
    BatchIngestService,
    EventRecorder,
    EventAdmission,
    EVENT_WRITER,
    ...QUEUE_PROVIDERS,
    EventsRepository,
    EventPartitions,
    belongsToProject(EventsRepository),
    EventRefusals,
    IdempotencyExpiry,
    CounterAudit,
  ],
  exports: [EventRecorder, QueueDrained],
})
export class IngestionModule {}
