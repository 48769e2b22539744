import { Module } from '@nestjs/common';
import { EventHistoryReader } from './event-history.reader.js';

/** Reads the history of events that Sentinel learns from. */
@Module({ imports: [], providers: [EventHistoryReader], exports: [EventHistoryReader] })
export class EventHistoryModule {}
