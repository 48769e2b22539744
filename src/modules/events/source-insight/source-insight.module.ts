import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../../entitlement/api-keys/index.js';
import { IngestionModule } from '../ingestion/index.js';
import { EventReadsModule } from '../reads/index.js';
import { IngestSourcesModule } from '../../entitlement/sources/index.js';
import { IngestionFailuresModule } from '../../entitlement/ingestion-failures/index.js';
import { SourceInsightController } from './source-insight.controller.js';
import { SourceInsightRepository } from './source-insight.repository.js';
import { SourceInsightService } from './source-insight.service.js';

/** Above the ingest-sources module, since it looks at events and sends one. */
@Module({
  imports: [ApiKeysModule, IngestionModule, EventReadsModule, IngestionFailuresModule, IngestSourcesModule],
  controllers: [SourceInsightController],
  providers: [SourceInsightService, SourceInsightRepository],
})
export class SourceInsightModule {}
