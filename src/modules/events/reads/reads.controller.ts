import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { whenClosed } from '../../../platform/http/request-closed.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import {
  EventCountsQuery,
  EventCountsResponse,
  EventName,
  EventNamesQuery,
  EventsPage,
  EventsQuery,
} from './reads.dto.js';
import { EventReadsService } from './reads.service.js';
import { QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { ArchiveUnavailable } from '../event-store/index.js';
import { TooManyLargeReads } from './read-budget.js';

@ApiTags('events')
@Controller('v1/events')
export class EventReadsController {
  constructor(private readonly events: EventReadsService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listEvents',
    summary: 'Raw events of a project, newest first',
    description:
      'By event timestamp, events of one instant by id. Pages follow each other by `next_before`: what arrives meanwhile shifts none of them, and shows on a later page only when its timestamp belongs there. A page ends before `limit` where its events take more than 4 MiB; one event it has always. With `where` the read has eight seconds and waits for its turn, as `/v1/eql` does; a request that is closed ends it.',
    answer: EventsPage,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries, TooManyLargeReads],
  })
  list(
    @Scope() scope: ProjectMemberScope,
    @Query() query: EventsQuery,
    @RawRequest() request: Request,
  ): Promise<WrittenJson<EventsPage>> {
    return this.events.list(scope, query, whenClosed(request));
  }

  @Get('counts')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getEventCounts',
    summary: 'Event counts over time',
    description: 'Exact, by event timestamp. An interval that does not fit the range is refused with 422.',
    answer: EventCountsResponse,
    errors: [ArchiveUnavailable],
  })
  counts(@Scope() scope: ProjectMemberScope, @Query() query: EventCountsQuery): Promise<EventCountsResponse> {
    return this.events.counts(scope, query);
  }

  @Get('names')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listEventNames',
    summary: 'Distinct event names with counts',
    description: 'Most events first, then by name; exact and not truncated.',
    answer: [EventName],
    errors: [ArchiveUnavailable],
  })
  names(@Scope() scope: ProjectMemberScope, @Query() query: EventNamesQuery): Promise<EventName[]> {
    return this.events.names(scope, query);
  }
}
