import { Controller, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { ServiceOverloaded } from '../../../platform/http/domain-error.js';
import { IdParam, Query, Scope } from '../../../platform/http/inputs.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { EventSourceDisabled, EventSourceNotFound } from '../../entitlement/api-keys/index.js';
import { TooManyLargeReads } from '../reads/index.js';
import { ProjectOfSource } from '../../entitlement/sources/index.js';
import { ProjectIsArchived } from '../../tenancy/projects/index.js';
import {
  BillingInactive,
  BlockedByBilling,
  DailyLimitExceeded,
  MonthlyEventsExceeded,
  MonthlyRequestsExceeded,
} from '../../entitlement/quotas/index.js';
import {
  SourceEventsQuery,
  SourceEventsResponse,
  SourceHealthResponse,
  SourceSchemaResponse,
  SourceStatsQuery,
  SourceStatsResponse,
  SourceTestResponse,
} from './source-monitoring.dto.js';
import { ArchiveUnavailable } from '../event-store/index.js';
import { SourceMonitoringService } from './source-monitoring.service.js';

@ApiTags('ingest-sources')
@Controller('v1/ingest-sources/:source_id')
export class SourceMonitoringController {
  constructor(private readonly monitoring: SourceMonitoringService) {}

  @Get('stats')
  @Requires({ project: 'viewer', via: ProjectOfSource })
  @Documented({
    operationId: 'getIngestSourceStats',
    summary: 'Volume over time',
    description:
      'Whole UTC hours or days of the event timestamps, the ones in which the range begins and ends included.',
    answer: SourceStatsResponse,
    errors: [EventSourceNotFound],
  })
  stats(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @Query() query: SourceStatsQuery,
  ): Promise<SourceStatsResponse> {
    return this.monitoring.stats(scope, sourceId, query);
  }

  @Get('health')
  @Requires({ project: 'viewer', via: ProjectOfSource })
  @Documented({
    operationId: 'getIngestSourceHealth',
    summary: 'Health with last event and failure rate',
    description: 'Worked out when it is asked for.',
    answer: SourceHealthResponse,
    errors: [EventSourceNotFound],
  })
  health(@Scope() scope: ProjectMemberScope, @IdParam('source_id') sourceId: string): Promise<SourceHealthResponse> {
    return this.monitoring.health(scope, sourceId);
  }

  @Get('events')
  @Requires({ project: 'viewer', via: ProjectOfSource })
  @Documented({
    operationId: 'listIngestSourceEvents',
    summary: 'Newest events of the source',
    description:
      'By timestamp, newest first. A page ends before `limit` where its events take more than 4 MiB; one event it has always.',
    answer: SourceEventsResponse,
    errors: [EventSourceNotFound, ArchiveUnavailable, TooManyLargeReads],
  })
  events(
    @Scope() scope: ProjectMemberScope,
    @IdParam('source_id') sourceId: string,
    @Query() query: SourceEventsQuery,
  ): Promise<WrittenJson<SourceEventsResponse>> {
    return this.monitoring.events(scope, sourceId, query);
  }

  @Get('schema')
  @Requires({ project: 'viewer', via: ProjectOfSource })
  @Documented({
    operationId: 'getIngestSourceSchema',
    summary: 'Observed event types and property types',
    description:
      'From a sample: the 500 newest events, fewer when they take more than 4 MiB. Of each event type at most 200 paths, 6 levels deep and 200 characters long.',
    answer: SourceSchemaResponse,
    errors: [EventSourceNotFound, ArchiveUnavailable, TooManyLargeReads],
  })
  schema(@Scope() scope: ProjectMemberScope, @IdParam('source_id') sourceId: string): Promise<SourceSchemaResponse> {
    return this.monitoring.schema(scope, sourceId);
  }

  @Post('test')
  @Requires({ project: 'admin', via: ProjectOfSource })
  @Documented({
    operationId: 'testIngestSource',
    summary: 'Send a test event through the ingestion path',
    description:
      'A `source.test` event without a key, otherwise like any other: refused as they are, stored, counted in quotas and usage.',
    answer: SourceTestResponse,
    errors: [
      EventSourceNotFound,
      EventSourceDisabled,
      ProjectIsArchived,
      BillingInactive,
      BlockedByBilling,
      MonthlyEventsExceeded,
      MonthlyRequestsExceeded,
      DailyLimitExceeded,
      ServiceOverloaded,
    ],
  })
  test(@Scope() scope: ProjectMemberScope, @IdParam('source_id') sourceId: string): Promise<SourceTestResponse> {
    return this.monitoring.test(scope, sourceId);
  }
}
