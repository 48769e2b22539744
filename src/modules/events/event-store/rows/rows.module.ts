import { Module } from '@nestjs/common';
import { EventCopiesModule } from '../copies.module.js';
import { EventRowsReader } from './event-rows.reader.js';
import { EventSubjectsReader } from './event-subjects.reader.js';

/** Events themselves, by their places. */
@Module({
  imports: [EventCopiesModule],
  providers: [EventRowsReader, EventSubjectsReader],
  exports: [EventRowsReader, EventSubjectsReader],
})
export class EventRowsModule {}
