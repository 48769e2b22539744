import { Module } from '@nestjs/common';
import { belongsToProject, ProjectsModule } from '../../../tenancy/projects/index.js';
import { EventReplicationModule } from '../replication.module.js';
import { EventAggregationModule } from '../aggregation/aggregation.module.js';
import { ClickHouseRequestsReader } from './clickhouse-requests.reader.js';
import { DayRollupsWriter } from './day-rollups.writer.js';
import { EndpointStatsReader } from './endpoint-stats.reader.js';
import { HourRollupsWriter } from './hour-rollups.writer.js';
import { MatchingRequestsReader } from './matching-requests.reader.js';
import { RollupPlanReader } from './rollup-plan.reader.js';
import { RequestStatsReader } from './request-stats.reader.js';
import { SeriesReader } from './series.reader.js';
import { SlowEventsReader } from './slow-events.reader.js';

/** Builds rollups of ended hours and days, and reads them together with the events that no rollup contains. */
@Module({
  imports: [ProjectsModule, EventReplicationModule, EventAggregationModule],
  providers: [
    ClickHouseRequestsReader,
    EndpointStatsReader,
    MatchingRequestsReader,
    RollupPlanReader,
    RequestStatsReader,
    SeriesReader,
    SlowEventsReader,
    DayRollupsWriter,
    HourRollupsWriter,
    belongsToProject(HourRollupsWriter),
  ],
  exports: [
    ClickHouseRequestsReader,
    EndpointStatsReader,
    RollupPlanReader,
    RequestStatsReader,
    SeriesReader,
    SlowEventsReader,
    DayRollupsWriter,
    HourRollupsWriter,
  ],
})
export class EventRollupsModule {}
