import { Module } from '@nestjs/common';
import { AcceptedEventsReader } from './accepted-events.reader.js';

/** Accepted events on their way to alert rules. */
@Module({ imports: [], providers: [AcceptedEventsReader], exports: [AcceptedEventsReader] })
export class AcceptedEventsModule {}
