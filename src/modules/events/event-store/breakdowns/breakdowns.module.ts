import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventAggregationModule } from '../aggregation/aggregation.module.js';
import { EventTotalsModule } from '../totals/totals.module.js';
import { BreakdownRepository } from './breakdown.repository.js';
import { BreakdownsReader } from './breakdowns.reader.js';
import { ClickHouseBreakdownRepository } from './clickhouse-breakdown.repository.js';
import { FacetsReader } from './facets.reader.js';

/** Counts events by the values of a field or property. */
@Module({
  imports: [EventReplicationModule, EventAggregationModule, EventTotalsModule],
  providers: [BreakdownRepository, BreakdownsReader, ClickHouseBreakdownRepository, FacetsReader],
  exports: [BreakdownsReader, FacetsReader],
})
export class EventBreakdownsModule {}
