import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventRowsReader } from './event-rows.reader.js';
import { EventSubjectsReader } from './event-subjects.reader.js';

/** Reads events by their locators. */
@Module({
  imports: [EventReplicationModule],
  providers: [EventRowsReader, EventSubjectsReader],
  exports: [EventRowsReader, EventSubjectsReader],
})
export class EventRowsModule {}
