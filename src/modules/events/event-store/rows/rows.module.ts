import { Module } from '@nestjs/common';
import { EventCopiesModule } from '../copies.module.js';
import { EventRowsReader } from './event-rows.reader.js';
import { EventSubjectsReader } from './event-subjects.reader.js';

/** Reads events by their locators. */
@Module({
  imports: [EventCopiesModule],
  providers: [EventRowsReader, EventSubjectsReader],
  exports: [EventRowsReader, EventSubjectsReader],
})
export class EventRowsModule {}
