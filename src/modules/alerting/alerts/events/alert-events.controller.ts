import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Query, RawRequest, Scope } from '../../../../platform/http/inputs.js';
import type { WrittenJson } from '../../../../platform/http/written-json.js';
import { ProjectQuery } from '../../../entitlement/api-keys/index.js';
import { EventStreamsService, StreamHeartbeat, TooManyStreams } from '../../../events/streams/index.js';
import { TooManyLargeReads } from '../../../events/reads/index.js';
import { AlertEventNotFound } from '../alerts.errors.js';
import { ALERT_STREAM_RULES, AlertFeed } from './alert-feed.js';
import {
  AlertEventMessage,
  AlertEventResponse,
  AlertEventsQuery,
  AlertEventsResponse,
  TimelineEntryResponse,
} from './alert-events.dto.js';
import { AlertEventsService } from './alert-events.service.js';
import { ProjectOfAlertEvent } from './alert-events.repository.js';

@ApiTags('alerts')
@Controller('v1/alerts/events')
export class AlertEventsController {
  constructor(
    private readonly alerts: AlertEventsService,
    private readonly streams: EventStreamsService,
    private readonly feed: AlertFeed,
  ) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listAlertEvents',
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

  @Get('stream')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'streamAlertEvents',
    summary: 'Live alert events (SSE)',
    description: ALERT_STREAM_RULES,
    answer: {
      stream: {
        name: 'AlertEventStreamMessage',
        byType: { alert_event: AlertEventMessage, heartbeat: StreamHeartbeat },
      },
      description: 'Alert events and heartbeats, each the `data` of a message',
    },
    errors: [TooManyStreams],
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
  @Documented({
    operationId: 'getAlertEvent',
    summary: 'One alert event',
    description: 'As it is now; its timeline tells how it came to that.',
    answer: AlertEventResponse,
    errors: [AlertEventNotFound],
  })
  get(@Scope() scope: ProjectMemberScope, @IdParam('alert_event_id') id: string): Promise<AlertEventResponse> {
    return this.alerts.get(scope, id);
  }

  @Get(':alert_event_id/timeline')
  @Requires({ project: 'viewer', via: ProjectOfAlertEvent })
  @Documented({
    operationId: 'listAlertEventTimeline',
    summary: 'What happened to it, in order',
    description: 'The newest 1,000 entries, oldest first; fewer where they have more than 4 MiB.',
    answer: [TimelineEntryResponse],
    errors: [AlertEventNotFound, TooManyLargeReads],
  })
  timeline(
    @Scope() scope: ProjectMemberScope,
    @IdParam('alert_event_id') id: string,
  ): Promise<WrittenJson<TimelineEntryResponse[]>> {
    return this.alerts.timeline(scope, id);
  }
}
