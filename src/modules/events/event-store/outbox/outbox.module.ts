import { Module } from '@nestjs/common';
import { AcceptedEventsReader } from './accepted-events.reader.js';

/** Accepted events that alert rules have not processed yet. */
@Module({ imports: [], providers: [AcceptedEventsReader], exports: [AcceptedEventsReader] })
export class AcceptedEventsModule {}
