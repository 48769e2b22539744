import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventQuestionsModule } from '../questions/questions.module.js';
import { EventTotalsModule } from '../totals/totals.module.js';
import { BreakdownRepository } from './breakdown.repository.js';
import { BreakdownsReader } from './breakdowns.reader.js';
import { ClickHouseBreakdownRepository } from './clickhouse-breakdown.repository.js';
import { FacetsReader } from './facets.reader.js';

/** Counts events by the values of a field or property. */
@Module({
  imports: [EventReplicationModule, EventQuestionsModule, EventTotalsModule],
  providers: [BreakdownRepository, BreakdownsReader, ClickHouseBreakdownRepository, FacetsReader],
  exports: [BreakdownsReader, FacetsReader],
})
export class EventBreakdownsModule {}
