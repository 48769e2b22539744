import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { whenClosed } from '../../../platform/http/request-closed.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { LogRow } from '../logs/index.js';
import { QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { TooManyLargeReads } from '../reads/index.js';
import { EndpointsService } from './endpoints.service.js';
import {
  EndpointsPageResponse,
  EndpointsQuery,
  FailuresQuery,
  FailuresResponse,
  RequestSeriesQuery,
  RequestSeriesResponse,
  SlowestQuery,
  SummaryQuery,
  SummaryResponse,
} from './performance.dto.js';
import { RequestSeriesService } from './request-series.service.js';
import { SlowestService } from './slowest.service.js';
import { ArchiveUnavailable } from '../event-store/index.js';
import { SummaryService } from './summary.service.js';

const REFUSALS = [ArchiveUnavailable, QueryTooLong, TooManyQueries];
const TIME =
  'What has to look through many events waits for its turn and has eight seconds; a request that is closed ends it.';

@ApiTags('performance')
@Controller('v1/performance')
export class PerformanceController {
  constructor(
    private readonly summaries: SummaryService,
    private readonly series: RequestSeriesService,
    private readonly byEndpoint: EndpointsService,
    private readonly slow: SlowestService,
  ) {}

  @Get('summary')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getPerformanceSummary',
    summary: 'Latency percentiles, error rate, apdex',
    description: `Every event of the window is a request, as the logs show it. All counts are exact and of one moment. ${TIME}`,
    answer: SummaryResponse,
    errors: REFUSALS,
  })
  summary(
    @Scope() scope: ProjectMemberScope,
    @Query() query: SummaryQuery,
    @RawRequest() request: Request,
  ): Promise<SummaryResponse> {
    return this.summaries.get(scope, query, whenClosed(request));
  }

  @Get('timeseries')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getPerformanceTimeseries',
    summary: 'Percentiles per interval',
    description: `Minutes and hours are those of UTC; days begin at local midnight, weeks on local Monday. ${TIME}`,
    answer: RequestSeriesResponse,
    errors: REFUSALS,
  })
  timeseries(
    @Scope() scope: ProjectMemberScope,
    @Query() query: RequestSeriesQuery,
    @RawRequest() request: Request,
  ): Promise<RequestSeriesResponse> {
    return this.series.get(scope, query, whenClosed(request));
  }

  @Get('endpoints')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listPerformanceEndpoints',
    summary: 'Percentiles per method and endpoint',
    description: `In an hour with more than 1,000 pairs of method and endpoint the rarest beyond them are one item without names. \`group_by=route\` has routes in place of endpoints. ${TIME}`,
    answer: EndpointsPageResponse,
    errors: REFUSALS,
  })
  endpoints(
    @Scope() scope: ProjectMemberScope,
    @Query() query: EndpointsQuery,
    @RawRequest() request: Request,
  ): Promise<EndpointsPageResponse> {
    return this.byEndpoint.page(scope, query, whenClosed(request));
  }

  @Get('slowest')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listSlowestRequests',
    summary: 'Slowest log rows',
    description: `Those that carry a latency, slowest first, newest first among equals. An answer ends early where its events take more than 4 MiB. ${TIME}`,
    answer: [LogRow],
    errors: [...REFUSALS, TooManyLargeReads],
  })
  slowest(
    @Scope() scope: ProjectMemberScope,
    @Query() query: SlowestQuery,
    @RawRequest() request: Request,
  ): Promise<WrittenJson<LogRow[]>> {
    return this.slow.list(scope, query, whenClosed(request));
  }

  @Get('errors')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getPerformanceErrors',
    summary: 'Error rates by endpoint and status',
    description: `Of the requests whose status is status_from or above. ${TIME}`,
    answer: FailuresResponse,
    errors: REFUSALS,
  })
  errors(
    @Scope() scope: ProjectMemberScope,
    @Query() query: FailuresQuery,
    @RawRequest() request: Request,
  ): Promise<FailuresResponse> {
    return this.byEndpoint.failures(scope, query, whenClosed(request));
  }
}
