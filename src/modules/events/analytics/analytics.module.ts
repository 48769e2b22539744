import { Module } from '@nestjs/common';
import { IngestSourcesModule } from '../../entitlement/sources/index.js';
import { TimeRangesModule } from '../time-ranges/index.js';
import { ProjectsModule } from '../../tenancy/projects/index.js';
import { EventStoreModule } from '../event-store/index.js';
import { AnalyticsController } from './analytics.controller.js';
import { BreakdownService } from './breakdown/breakdown.service.js';
import { FunnelLimits } from './funnel/funnel-limits.js';
import { FunnelService } from './funnel/funnel.service.js';
import { OverviewService } from './overview/overview.service.js';
import { Questions } from './queries/questions.js';
import { TimeseriesService } from './timeseries/timeseries.service.js';

@Module({
  imports: [IngestSourcesModule, EventStoreModule, ProjectsModule, TimeRangesModule],
  controllers: [AnalyticsController],
  providers: [Questions, OverviewService, TimeseriesService, BreakdownService, FunnelService, FunnelLimits],
})
export class AnalyticsModule {}
