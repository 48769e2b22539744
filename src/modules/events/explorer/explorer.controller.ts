import { Controller, Get, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, IdParam, Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { whenClosed } from '../../../platform/http/request-closed.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { TooManyLargeReads } from '../reads/index.js';
import { EventExportService, TooManyExports } from './event-export.service.js';
import {
  EventDetail,
  ExplorerPage,
  ExplorerQuery,
  ExportRequest,
  FacetsQuery,
  FacetsResponse,
} from './explorer.dto.js';
import { ArchiveUnavailable } from '../event-store/index.js';
import { EventNotFound, ExplorerService } from './explorer.service.js';

@ApiTags('projects')
@Controller('v1/projects/:project_id/events')
export class ExplorerController {
  constructor(
    private readonly explorer: ExplorerService,
    private readonly exports: EventExportService,
  ) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'listProjectEvents',
    summary: 'Events explorer with total',
    description:
      'Newest first by event timestamp, events of one instant by id. Total and page are of one moment. Any offset is allowed: hours before the page are skipped by their counts, so a deep page without `where` costs at most the reading of the hour it begins in. An empty text filter takes every value. A page ends before `limit` where its events take more than 4 MiB (one event it has always); `has_more` then tells so, and the next page begins at `offset` plus the number of `items`. With `where` every event before the page is read, so a deep page takes longer. Such a read has the limits of `/v1/eql`: eight seconds, and a queue. It ends when the client closes the request.',
    answer: ExplorerPage,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries, TooManyLargeReads],
  })
  list(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Query() query: ExplorerQuery,
    @RawRequest() request: Request,
  ): Promise<WrittenJson<ExplorerPage>> {
    return this.explorer.page(scope, query, whenClosed(request));
  }

  @Get('facets')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getProjectEventFacets',
    summary: 'Values with counts for each filter',
    description:
      'Takes the filters of the explorer. Each facet is counted under the other filters, so it shows what choosing another of its values would give. Most events first, up to 100 values each. `by` adds the 20 most frequent values of up to ten properties, counted under all filters. With `where` or `by` every event is read. Such a read has the limits of `/v1/eql`: eight seconds, and a queue. It ends when the client closes the request.',
    answer: FacetsResponse,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries],
  })
  facets(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Query() query: FacetsQuery,
    @RawRequest() request: Request,
  ): Promise<FacetsResponse> {
    return this.explorer.facets(scope, query, whenClosed(request));
  }

  @Post('export')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'exportProjectEvents',
    summary: 'Stream the filtered events as NDJSON or CSV',
    description:
      'Newest first, without a limit on the number of events, as fast as the client reads. The window is fixed when the export begins: every event stored by then is in it exactly once, one stored meanwhile may be in it or not. A failure after the first byte cuts the connection instead of ending the answer, and so does a client that takes nothing for 30 seconds, or that loses the project or the session meanwhile (looked at about once a minute). In CSV (RFC 4180, properties as JSON), text that begins with =, +, -, @, tab or carriage return has an apostrophe before it, so that no spreadsheet runs it. Four exports of a project at a time in one process, and 32 of all; another is refused with 429 `Too many exports at once`. With `where` every event of the window is read, in parts of up to eight seconds each. Exports take at most half of the time that an organization has for such reads. While other queries of the project run, or while that half is used up, an export that has sent nothing yet is refused with 503. Later it waits up to five minutes, and then cuts the connection, as it does when a minute of events takes longer than eight seconds. With `where`, an export that has found no event for 20 seconds sends an empty line, so that proxies keep the connection; readers have to skip empty lines.',
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries, TooManyLargeReads, TooManyExports],
    answer: {
      mediaType: ['application/x-ndjson', 'text/csv'],
      description: 'Events: one a line as JSON, or RFC 4180 with a line of names',
    },
  })
  export(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @Body() body: ExportRequest,
    @RawRequest() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.exports.write(scope, body, response, whenClosed(request));
  }

  @Get(':event_id')
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getProjectEvent',
    summary: 'One event with its log row and related alerts',
    description: 'Named by the id of the service, not by `external_event_id`.',
    answer: EventDetail,
    errors: [EventNotFound, ArchiveUnavailable, TooManyLargeReads],
  })
  detail(
    @Scope() scope: ProjectMemberScope,
    @IdParam('project_id') _id: string,
    @IdParam('event_id') eventId: string,
  ): Promise<WrittenJson<EventDetail>> {
    return this.explorer.detail(scope, eventId);
  }
}
