import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type EachProjectScope, type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { Body, IdParam, Query, RawRequest, Scope } from '../../../../platform/http/inputs.js';
import type { WrittenJson } from '../../../../platform/http/written-json.js';
import { ProjectQuery } from '../../../entitlement/api-keys/index.js';
import { EventStreamsService } from '../../../events/streams/index.js';
import { TooManyLargeReads } from '../../../events/reads/index.js';
import { AlertEventNotFound } from '../alerts.errors.js';
import { ALERT_STREAM_RULES, AlertFeed } from '../stream/alert-feed.js';
import { BulkRequest, BulkResponse } from './alert-acts.dto.js';
import { AlertActs } from './alert-acts.service.js';
import {
  AlertEventResponse,
  AlertEventsQuery,
  AlertEventsResponse,
  RaiseAlertRequest,
  TimelineEntryResponse,
} from './alert-events.dto.js';
import { AlertEventsService } from './alert-events.service.js';
import { ManualAlerts } from './manual-alerts.service.js';
import { ProjectOfAlertEvent } from './project-of-alert-event.js';

@ApiTags('alerts')
@Controller('v1/alerts/events')
export class AlertEventsController {
  constructor(
    private readonly alerts: AlertEventsService,
    private readonly manual: ManualAlerts,
    private readonly acts: AlertActs,
    private readonly streams: EventStreamsService,
    private readonly feed: AlertFeed,
  ) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    summary: 'Alert events with filters',
    description: 'Newest first. A page of large payloads ends early, at 4 MiB; its `limit` then says how many came.',
    answer: AlertEventsResponse,
    errors: [TooManyLargeReads],
  })
  list(
    @Scope() scope: ProjectMemberScope,
    @Query() query: AlertEventsQuery,
  ): Promise<WrittenJson<AlertEventsResponse>> {
    return this.alerts.list(scope, query);
  }

  @Post()
  @Requires({ project: 'operator' })
  @Documented({
    summary: 'Raise an alert event by hand',
    description: 'Every enabled webhook destination of the project is told.',
    status: 201,
    answer: AlertEventResponse,
  })
  raise(@Scope() scope: ProjectMemberScope, @Body() body: RaiseAlertRequest): Promise<AlertEventResponse> {
    return this.manual.raise(scope, body);
  }

  @Post('bulk')
  @Requires({ each: 'member', via: ProjectOfAlertEvent })
  @Documented({
    summary: 'Acknowledge or resolve many',
    description:
      'Each by itself, as the single request does it, so some may succeed and others not. Takes the role of a member in the project of each; what the caller cannot see is answered as not found.',
    answer: BulkResponse,
  })
  bulk(@Scope() scope: EachProjectScope, @Body() body: BulkRequest): Promise<BulkResponse> {
    return this.acts.bulk(scope, body);
  }

  @Get('stream')
  @Requires({ project: 'viewer' })
  @Documented({
    summary: 'Live alert events (SSE)',
    description: ALERT_STREAM_RULES,
    answer: { mediaType: 'text/event-stream', description: 'Alert events and heartbeats' },
  })
  stream(
    @Scope() scope: ProjectMemberScope,
    @Query() _query: ProjectQuery,
    @RawRequest() request: Request,
    @Res() response: Response,
  ): void {
    this.streams.open(scope, this.feed, request, response);
  }

  @Get(':alert_event_id')
  @Requires({ project: 'viewer', via: ProjectOfAlertEvent })
  @Documented({ summary: 'One alert event', answer: AlertEventResponse, errors: [AlertEventNotFound] })
  get(@Scope() scope: ProjectMemberScope, @IdParam('alert_event_id') id: string): Promise<AlertEventResponse> {
    return this.alerts.get(scope, id);
  }

  @Get(':alert_event_id/timeline')
  @Requires({ project: 'viewer', via: ProjectOfAlertEvent })
  @Documented({
    summary: 'What happened to it, in order',
    description: 'The newest 1,000 entries, oldest first.',
    answer: [TimelineEntryResponse],
    errors: [AlertEventNotFound],
  })
  timeline(
    @Scope() scope: ProjectMemberScope,
    @IdParam('alert_event_id') id: string,
  ): Promise<TimelineEntryResponse[]> {
    return this.alerts.timeline(scope, id);
  }
}
