import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { IngestionModule } from '../ingestion/index.js';
import { EventReadsModule } from '../reads/index.js';
import { IngestSourcesModule } from '../../entitlement/sources/index.js';
import { IngestionFailuresModule } from '../../entitlement/ingestion-failures/index.js';
import { SourceMonitoringController } from './source-monitoring.controller.js';
import { SourceMonitoringService } from './source-monitoring.service.js';

/** Above the ingest-sources module, since it looks at events and sends one. */
@Module({
  imports: [
    ApiKeysModule,
    IngestionModule,
    EventReadsModule,
    IngestionFailuresModule,
    IngestSourcesModule,
    EventStoreModule,
  ],
  controllers: [SourceMonitoringController],
  providers: [SourceMonitoringService],
})
export class SourceMonitoringModule {}
