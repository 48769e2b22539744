import { Module } from '@nestjs/common';
import { EventReplicationModule } from '../replication.module.js';
import { EventAggregationModule } from '../aggregation/aggregation.module.js';
import { ClickHouseTimeseriesRepository } from './clickhouse-timeseries.repository.js';
import { TimeseriesReader } from './timeseries.reader.js';
import { TimeseriesRepository } from './timeseries.repository.js';

/** Aggregates of events over time. */
@Module({
  imports: [EventReplicationModule, EventAggregationModule],
  providers: [ClickHouseTimeseriesRepository, TimeseriesReader, TimeseriesRepository],
  exports: [TimeseriesReader],
})
export class EventSeriesModule {}
