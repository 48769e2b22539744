import { Module } from '@nestjs/common';
import { EventReadsModule } from '../reads/index.js';
import { EventStreamsModule } from '../streams/index.js';
import { EventFeed } from './event-feed.js';
import { EventStreamController } from './event-stream.controller.js';
import { SettledEvents } from './settled-events.js';

@Module({
  imports: [EventReadsModule, EventStreamsModule],
  controllers: [EventStreamController],
  providers: [EventFeed, SettledEvents],
  exports: [EventFeed, SettledEvents],
})
export class EventFeedModule {}
