import { Module } from '@nestjs/common';
import { EventCopiesModule } from '../copies.module.js';
import { EventRowsReader } from './event-rows.reader.js';

/** Events themselves, by their places. */
@Module({
  imports: [EventCopiesModule],
  providers: [EventRowsReader],
  exports: [EventRowsReader],
})
export class EventRowsModule {}
