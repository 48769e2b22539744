import { Module } from '@nestjs/common';
import { AskedWindowsModule } from '../asked-windows/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { LongReadsModule } from '../long-reads/index.js';
import { AnalyticsController } from './analytics.controller.js';
import { BreakdownRepository } from './breakdown/breakdown.repository.js';
import { CopiedBreakdownRepository } from './breakdown/copied-breakdown.repository.js';
import { BreakdownService } from './breakdown/breakdown.service.js';
import { CopiedFunnelRepository } from './funnel/copied-funnel.repository.js';
import { FunnelEventsRepository } from './funnel/funnel-events.repository.js';
import { FunnelLimits } from './funnel/funnel-limits.js';
import { FunnelService } from './funnel/funnel.service.js';
import { GatheredEventsReader } from './asking/gathered-events.reader.js';
import { CopiedOverviewRepository } from './overview/copied-overview.repository.js';
import { OverviewRepository } from './overview/overview.repository.js';
import { OverviewService } from './overview/overview.service.js';
import { Questions } from './asking/question.js';
import { Snapshots } from './asking/snapshots.js';
import { CopiedTimeseriesRepository } from './timeseries/copied-timeseries.repository.js';
import { TimeseriesRepository } from './timeseries/timeseries.repository.js';
import { TimeseriesService } from './timeseries/timeseries.service.js';

@Module({
  imports: [EventStoreModule, LongReadsModule, ProjectsModule, AskedWindowsModule],
  controllers: [AnalyticsController],
  providers: [
    Questions,
    Snapshots,
    GatheredEventsReader,
    OverviewService,
    CopiedOverviewRepository,
    OverviewRepository,
    TimeseriesService,
    TimeseriesRepository,
    CopiedTimeseriesRepository,
    BreakdownService,
    BreakdownRepository,
    CopiedBreakdownRepository,
    FunnelService,
    FunnelEventsRepository,
    CopiedFunnelRepository,
    FunnelLimits,
  ],
})
export class AnalyticsModule {}
