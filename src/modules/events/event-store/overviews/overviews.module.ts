import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventAggregationModule } from '../aggregation/aggregation.module.js';
import { EventTotalsModule } from '../totals/totals.module.js';
import { ClickHouseOverviewRepository } from './clickhouse-overview.repository.js';
import { OverviewRepository } from './overview.repository.js';
import { OverviewsReader } from './overviews.reader.js';

/** Totals of a window and of the previous window. */
@Module({
  imports: [EventReplicationModule, EventAggregationModule, EventTotalsModule],
  providers: [ClickHouseOverviewRepository, OverviewRepository, OverviewsReader],
  exports: [OverviewsReader],
})
export class EventOverviewsModule {}
