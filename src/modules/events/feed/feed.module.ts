import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { IngestionModule } from '../ingestion/index.js';
import { EventReadsModule } from '../reads/index.js';
import { EventStreamsModule } from '../streams/index.js';
import { EventFeed } from './event-feed.js';
import { EventStreamController } from './event-stream.controller.js';
import { WatermarkRepository } from './watermark.repository.js';

@Module({
  imports: [IngestionModule, EventReadsModule, EventStreamsModule, EventStoreModule],
  controllers: [EventStreamController],
  providers: [EventFeed, WatermarkRepository],
  exports: [EventFeed, WatermarkRepository],
})
export class EventFeedModule {}
