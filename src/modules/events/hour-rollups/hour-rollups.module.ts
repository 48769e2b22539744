import { Module } from '@nestjs/common';
import { belongsToProject } from '../../tenancy/projects/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { HourRollupsProcessor } from './hour-rollups.job.js';
import { HourRollupsRepository } from './hour-rollups.repository.js';
import { HourRollupsService } from './hour-rollups.service.js';
import { DayRollupsRepository } from './day-rollups.repository.js';
import { CopiedRequestsReader } from './copied-requests.reader.js';
import { EndpointFiguresReader } from './endpoint-figures.reader.js';
import { ReadingPlanReader } from './reading-plan.reader.js';
import { RequestFiguresReader } from './request-figures.reader.js';
import { SeriesReader } from './series.reader.js';
import { SlowEventsReader } from './slow-events.reader.js';

const READERS = [
  CopiedRequestsReader,
  EndpointFiguresReader,
  ReadingPlanReader,
  RequestFiguresReader,
  SeriesReader,
  SlowEventsReader,
];

@Module({
  imports: [EventStoreModule],
  providers: [
    DayRollupsRepository,
    HourRollupsProcessor,
    HourRollupsRepository,
    HourRollupsService,
    ...READERS,
    belongsToProject(HourRollupsRepository),
  ],
  exports: READERS,
})
export class HourRollupsModule {}
