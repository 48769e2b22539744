import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { EventsModule } from '../events/index.js';
import { IngestSourcesModule } from '../ingest-sources/index.js';
import { IngestionFailuresModule } from '../ingestion-failures/index.js';
import { SourceInsightController } from './source-insight.controller.js';
import { SourceInsightRepository } from './source-insight.repository.js';
import { SourceInsightService } from './source-insight.service.js';

/** Above the ingest-sources module, since it looks at events and sends one. */
@Module({
  imports: [ApiKeysModule, EventsModule, IngestionFailuresModule, IngestSourcesModule],
  controllers: [SourceInsightController],
  providers: [SourceInsightService, SourceInsightRepository],
})
export class SourceInsightModule {}
