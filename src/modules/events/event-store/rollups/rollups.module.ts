import { Module } from '@nestjs/common';
import { belongsToProject, ProjectsModule } from '../../../tenancy/projects/index.js';
import { EventReplicationModule } from '../replication.module.js';
import { EventQuestionsModule } from '../questions/questions.module.js';
import { ClickHouseRequestsReader } from './clickhouse-requests.reader.js';
import { DayRollupsWriter } from './day-rollups.writer.js';
import { EndpointFiguresReader } from './endpoint-figures.reader.js';
import { HourRollupsWriter } from './hour-rollups.writer.js';
import { MatchingRequestsReader } from './matching-requests.reader.js';
import { ReadingPlanReader } from './reading-plan.reader.js';
import { RequestFiguresReader } from './request-figures.reader.js';
import { SeriesReader } from './series.reader.js';
import { SlowEventsReader } from './slow-events.reader.js';

/** Builds rollups of ended hours and days, and reads them together with the events that no rollup contains. */
@Module({
  imports: [ProjectsModule, EventReplicationModule, EventQuestionsModule],
  providers: [
    ClickHouseRequestsReader,
    EndpointFiguresReader,
    MatchingRequestsReader,
    ReadingPlanReader,
    RequestFiguresReader,
    SeriesReader,
    SlowEventsReader,
    DayRollupsWriter,
    HourRollupsWriter,
    belongsToProject(HourRollupsWriter),
  ],
  exports: [
    ClickHouseRequestsReader,
    EndpointFiguresReader,
    ReadingPlanReader,
    RequestFiguresReader,
    SeriesReader,
    SlowEventsReader,
    DayRollupsWriter,
    HourRollupsWriter,
  ],
})
export class EventRollupsModule {}
