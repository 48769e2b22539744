import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { EventStreamsService, StreamHeartbeat, TooManyStreams } from '../streams/index.js';
import { whenClosed } from '../../../platform/http/request-closed.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { STREAM_RULES } from '../feed/index.js';
import { QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { TooManyLargeReads } from '../reads/index.js';
import { LogFeed } from './log-feed.js';
import { LogMessage, LogRow, LogsQuery, LogStreamQuery } from './logs.dto.js';
import { ArchiveUnavailable, LogSearchTooLong, TooManyLogSearches } from '../event-store/index.js';
import { LogsService } from './logs.service.js';

@ApiTags('logs')
@Controller('v1/logs')
export class LogsController {
  constructor(
    private readonly logs: LogsService,
    private readonly streams: EventStreamsService,
    private readonly feed: LogFeed,
  ) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listLogs',
    summary: 'Log rows',
    description:
      'Newest first by event timestamp, rows of one instant by id. For older rows, pass the `id` of the last row as `before`, with the same filters. Without `to_ts` the window ends at the time of the request. Fewer rows than `limit` come, the newest of them, where they take more than 4 MiB; one row comes always. In `query`, %, _ and \\ stand for themselves. A search that has to look through so much that it takes longer than eight seconds is refused with 503, since an answer with some of the rows would look whole. A process runs two filtered searches or queries (`/v1/eql`) at a time, of one project one; another waits for up to ten seconds and is then refused with 503, as is one of an organization that has used its 40 seconds of a minute. Both refusals carry `Retry-After`. With `where` the list is such a query, and is refused as one.',
    answer: [LogRow],
    errors: [ArchiveUnavailable, LogSearchTooLong, TooManyLogSearches, QueryTooLong, TooManyQueries, TooManyLargeReads],
  })
  list(
    @Scope() scope: ProjectMemberScope,
    @Query() query: LogsQuery,
    @RawRequest() request: Request,
  ): Promise<WrittenJson<LogRow[]>> {
    return this.logs.list(scope, query, whenClosed(request));
  }

  @Get('stream')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'streamLogs',
    summary: 'Live log rows (SSE)',
    description: `\`{"type": "log", "log": <log row>}\` with a row as \`GET /v1/logs\` lists it.\n\n${STREAM_RULES}`,
    answer: {
      stream: { name: 'LogStreamMessage', byType: { log: LogMessage, heartbeat: StreamHeartbeat } },
      description: 'Log rows and heartbeats, each the `data` of a message',
    },
    errors: [TooManyStreams],
  })
  stream(
    @Scope() scope: ProjectMemberScope,
    @Query() _query: LogStreamQuery,
    @RawRequest() request: Request,
    @Res() response: Response,
  ): void {
    this.streams.open(scope, this.feed, request, response);
  }
}
