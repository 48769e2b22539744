import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventTotalsModule } from '../totals/totals.module.js';
import { MeasuresReader } from './measures.reader.js';
import { PastEventsReader } from './past-events.reader.js';

/** Measures the values that alert rules compare, now and in the past. */
@Module({
  imports: [EventReplicationModule, EventTotalsModule],
  providers: [MeasuresReader, PastEventsReader],
  exports: [MeasuresReader, PastEventsReader],
})
export class EventMeasuresModule {}
