import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { ConstantField, NestedField, UuidField } from '../../../platform/http/validation/index.js';
import { Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { EventRecord } from '../fields/index.js';
import { EventStreamsService, StreamHeartbeat, TooManyStreams } from '../streams/index.js';
import { EventFeed } from './event-feed.js';

class StreamQuery {
  @UuidField({})
  project_id!: string;
}

class EventMessage {
  @ConstantField('event', { description: 'Of the message' })
  type!: 'event';

  @NestedField(() => EventRecord, { description: 'As `GET /v1/events` lists it' })
  event!: EventRecord;
}

/** The API description of every event stream contains these rules. */
export const STREAM_RULES = [
  'Messages are `data: <JSON>` and a blank line, without SSE ids or names. A new connection begins with the existing events, the newest 10,000 at most, and goes on with new ones: ascending by timestamp, then id, each strictly after the one before, none twice on one connection. There is no resume: deduplicate by id after reconnecting.',
  'When there is nothing new, about once a second, `{"type": "heartbeat", "timestamp": <Unix ms>}` comes, with a `detail` while events cannot be read.',
  'An event appears one to two seconds after its timestamp, so that events stored in another order than they arrived are not overtaken. An event that takes its time of arrival is missed only if it was stored more than a second after it arrived, not counting up to ten seconds of the transaction that stores it (with queued ingestion: when the queue is more than a second behind), or if the clock of the host that took it is more than a second behind that of the host which streams, so keep the clocks of all hosts together. An event with a timestamp of its own is missed when that is older than the last one sent and it was not stored by then; one stamped ahead of now appears when its time comes.',
  'The stream ends when the session or the membership ends, when the project is deleted, when for about a minute nobody can tell who may read it, when the client reads nothing for 30 seconds or, of more than that, less than 16 KiB a second, and when the service stops. A person may have 250 streams open and a project 1,000, in each process; another is refused with 429 `Too many open streams`.',
].join('\n\n');

@ApiTags('events')
@Controller('v1/events')
export class EventStreamController {
  constructor(
    private readonly streams: EventStreamsService,
    private readonly feed: EventFeed,
  ) {}

  @Get('stream')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'streamEvents',
    summary: 'Live raw events (SSE)',
    description: `\`{"type": "event", "event": <event>}\` with an event as \`GET /v1/events\` lists it.\n\n${STREAM_RULES}`,
    answer: {
      stream: { name: 'EventStreamMessage', byType: { event: EventMessage, heartbeat: StreamHeartbeat } },
      description: 'Events and heartbeats, each the `data` of a message',
    },
    errors: [TooManyStreams],
  })
  stream(
    @Scope() scope: ProjectMemberScope,
    @Query() _query: StreamQuery,
    @RawRequest() request: Request,
    @Res() response: Response,
  ): void {
    this.streams.open(scope, this.feed, request, response);
  }
}
