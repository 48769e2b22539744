import { Module } from '@nestjs/common';
import { EventStoreModule } from '../event-store/index.js';
import { TimeRangesModule } from '../time-ranges/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { LongReadsModule } from '../long-reads/index.js';
import { EventReadsModule } from '../reads/index.js';
import { EndpointsService } from './endpoints.service.js';
import { FirstRequestReader } from './first-request.reader.js';
import { RequestQuestions } from './request-selection.js';
import { PerformanceController } from './performance.controller.js';
import { PlannedReads } from './planned-reads.service.js';
import { RequestSeriesService } from './request-series.service.js';
import { SlowestService } from './slowest.service.js';
import { SummaryService } from './summary.service.js';

@Module({
  imports: [EventStoreModule, LongReadsModule, EventReadsModule, ProjectsModule, TimeRangesModule],
  controllers: [PerformanceController],
  providers: [
    EndpointsService,
    FirstRequestReader,
    PlannedReads,
    RequestQuestions,
    RequestSeriesService,
    SlowestService,
    SummaryService,
  ],
})
export class PerformanceModule {}
