import { Module } from '@nestjs/common';
import { ApiKeysModule } from '../api-keys/index.js';
import { EventsRepository } from './events.repository.js';
import { IngestController } from './ingest.controller.js';
import { IngestService } from './ingest.service.js';
import { EventPartitions } from './partitions.js';

@Module({
  imports: [ApiKeysModule],
  controllers: [IngestController],
  providers: [IngestService, EventsRepository, EventPartitions],
})
export class EventsModule {}
