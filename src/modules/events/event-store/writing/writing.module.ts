import { Module } from '@nestjs/common';
import { belongsToProject, ProjectsModule } from '../../../tenancy/projects/index.js';
import { CountersReader } from './counters.reader.js';
import { EventRemovalWriter } from './event-removal.writer.js';
import { PartitionsWriter } from './partitions.writer.js';
import { EventTracesWriter } from './event-traces.writer.js';
import { ServiceEventsWriter } from './service-events.writer.js';
import { UniqueEventsWriter } from './unique-events.writer.js';

/** Stores and removes events, and compares them with their counters. */
@Module({
  imports: [ProjectsModule],
  providers: [
    CountersReader,
    EventRemovalWriter,
    PartitionsWriter,
    EventTracesWriter,
    ServiceEventsWriter,
    UniqueEventsWriter,
    belongsToProject(EventRemovalWriter),
    belongsToProject(EventTracesWriter),
    belongsToProject(UniqueEventsWriter),
  ],
  exports: [
    CountersReader,
    EventTracesWriter,
    EventRemovalWriter,
    PartitionsWriter,
    ServiceEventsWriter,
    UniqueEventsWriter,
  ],
})
export class EventWritingModule {}
