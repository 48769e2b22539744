import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { whenClosed } from '../../../platform/http/request-closed.js';
import { QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { BreakdownQuery, BreakdownResponse } from './breakdown/breakdown.dto.js';
import { BreakdownService } from './breakdown/breakdown.service.js';
import { FunnelQuery, FunnelResponse } from './funnel/funnel.dto.js';
import { TooManyFunnelValues } from './funnel/funnel-limits.js';
import { FunnelService } from './funnel/funnel.service.js';
import { OverviewQuery, OverviewResponse } from './overview/overview.dto.js';
import { OverviewService } from './overview/overview.service.js';
import { TimeseriesQuery, TimeseriesResponse } from './timeseries/timeseries.dto.js';
import { ArchiveUnavailable } from '../event-store/index.js';
import { TimeseriesService } from './timeseries/timeseries.service.js';

/** The description of every analytics endpoint ends with these sentences. */
const READS =
  'Counts are exact, agree with the explorer under the same filters, and are all of one moment. What counted hours cannot tell, or not within 300 ms, has eight seconds; two such reads run at a time in a process, one of a project, others wait for ten seconds, and an organization has 40 seconds a minute. A request that is closed ends its read.';

@ApiTags('analytics')
@Controller('v1/analytics')
export class AnalyticsController {
  constructor(
    private readonly overviews: OverviewService,
    private readonly series: TimeseriesService,
    private readonly breakdowns: BreakdownService,
    private readonly funnels: FunnelService,
  ) {}

  @Get('overview')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getAnalyticsOverview',
    summary: 'Totals and change against the previous window',
    description: `Percentiles under a filter or \`where\` are read from the events. ${READS}`,
    answer: OverviewResponse,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries],
  })
  overview(
    @Scope() scope: ProjectMemberScope,
    @Query() query: OverviewQuery,
    @RawRequest() request: Request,
  ): Promise<OverviewResponse> {
    return this.overviews.of(scope, query, whenClosed(request));
  }

  @Get('timeseries')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getAnalyticsTimeseries',
    summary: 'Counts per interval, optionally split',
    description: `Minutes and hours are those of UTC; days begin at local midnight and weeks on local Monday, so that a day across a change of the clock has 23 or 25 hours. The ends of a series are clipped by the window; with \`all\` it begins with the bucket of the first event. ${READS}`,
    answer: TimeseriesResponse,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries],
  })
  timeseries(
    @Scope() scope: ProjectMemberScope,
    @Query() query: TimeseriesQuery,
    @RawRequest() request: Request,
  ): Promise<TimeseriesResponse> {
    return this.series.of(scope, query, whenClosed(request));
  }

  @Get('breakdown')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getAnalyticsBreakdown',
    summary: 'Top values of a field or property',
    description: `Values are told apart by their type, and texts by all of their characters, of which 200 are shown. ${READS}`,
    answer: BreakdownResponse,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries],
  })
  breakdown(
    @Scope() scope: ProjectMemberScope,
    @Query() query: BreakdownQuery,
    @RawRequest() request: Request,
  ): Promise<BreakdownResponse> {
    return this.breakdowns.of(scope, query, whenClosed(request));
  }

  @Get('funnel')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getAnalyticsFunnel',
    summary: 'Ordered steps by a correlating property',
    description: `A value reaches a step when it has one event of each step up to it, each later than the one before, the last at most \`within_seconds\` after the first. \`1\` and \`"1"\` are two values. Two million values are followed at most. ${READS}`,
    answer: FunnelResponse,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries, TooManyFunnelValues],
  })
  funnel(
    @Scope() scope: ProjectMemberScope,
    @Query() query: FunnelQuery,
    @RawRequest() request: Request,
  ): Promise<FunnelResponse> {
    return this.funnels.of(scope, query, whenClosed(request));
  }
}
