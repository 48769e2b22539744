import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { IngestionModule } from '../ingestion/index.js';
import { EventReadsModule } from '../reads/index.js';
import { IngestSourcesModule } from '../../entitlement/sources/index.js';
import { IngestionFailuresModule } from '../../entitlement/ingestion-failures/index.js';
import { SourceMonitoringController } from './source-monitoring.controller.js';
import { SourceMonitoringService } from './source-monitoring.service.js';

/**
 * Source monitoring reads events and sends one, so this module depends on the ingest-sources module and not the
 * reverse.
 */
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
