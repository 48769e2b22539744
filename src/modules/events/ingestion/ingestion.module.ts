import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { IngestionFailuresModule } from '../../entitlement/ingestion-failures/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { QuotasModule } from '../../entitlement/quotas/index.js';
import { BatchIngestService } from './batch-ingest.service.js';
import { EventAdmissionService } from './event-admission.service.js';
import { EventRecorder } from './event-recorder.js';
import { EventRefusalMask } from './event-refusal-mask.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { PartitionMaintenance } from './maintenance/partition-maintenance.js';
import { QueueDrainNotifier } from './queueing/queue-drain-notifier.js';
import { QUEUE_PROVIDERS } from './queueing/queue.providers.js';
import { CounterAudit } from './maintenance/counter-audit.js';
import { ExpiredRows } from './maintenance/expired-rows.js';
import { IdempotencyRecordsRepository } from './maintenance/idempotency-records.repository.js';
import { MeteredMonthsRepository } from './maintenance/metered-months.repository.js';
import { EventBatcher } from './writing/event-batcher.js';
import { EVENT_BATCHER } from './writing/event-batcher.provider.js';

@Module({
  imports: [ApiKeysModule, ProjectsModule, QuotasModule, IngestionFailuresModule, EventStoreModule],
  controllers: [IngestController],
  providers: [
    IngestService,
    BatchIngestService,
    EventRecorder,
    EventAdmissionService,
    EVENT_BATCHER,
    ...QUEUE_PROVIDERS,
    PartitionMaintenance,
    EventRefusalMask,
    IdempotencyRecordsRepository,
    ExpiredRows,
    MeteredMonthsRepository,
    CounterAudit,
  ],
  exports: [EventAdmissionService, EventRecorder, EventBatcher, QueueDrainNotifier],
})
export class IngestionModule {}
