import { Controller, Get, Post } from '@nestjs/common';
import { ApiExtraModels, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Body, Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { whenClosed } from '../../../platform/http/request-closed.js';
import type { WrittenJson } from '../../../platform/http/written-json.js';
import { QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { TooManyLargeReads } from '../reads/index.js';
import { EqlAnswer, EqlRequest, LanguageQuery, LanguageResponse, MissingEvent } from './eql.dto.js';
import { EqlService } from './eql.service.js';
import { ArchiveUnavailable } from '../event-store/index.js';
import { QueryNeedsTooMuchMemory } from './matching/pending-budget.js';

@ApiTags('eql')
@Controller('v1/eql')
export class EqlController {
  constructor(private readonly eql: EqlService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'getEqlLanguage',
    summary: 'What queries may say',
    description:
      'Fields with the properties of the newest events, event types, keywords, operators, functions, pipes, and every limit by its name: for editors that complete and check queries.',
    answer: LanguageResponse,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyLargeReads],
  })
  language(
    @Scope() scope: ProjectMemberScope,
    @Query() _query: LanguageQuery,
    @RawRequest() request: Request,
  ): Promise<LanguageResponse> {
    return this.eql.language(scope, whenClosed(request));
  }

  @Post()
  @Requires({ project: 'viewer' })
  @ApiExtraModels(MissingEvent)
  @Documented({
    operationId: 'runEqlQuery',
    summary: 'Run an EQL query',
    description:
      'Event queries (`payment.failed where properties.amount > 100`), sequences with `by`, `with maxspan`, `with runs`, missing events `![ ]` and `until`, samples, and the pipes `head` and `tail`. What is wrong with a query is a 422 at `["body","query"]` with its line, column and length in `ctx`. A query has eight seconds; where it takes longer than 300 ms, two run at a time in a process, one of a project, others wait for ten seconds, and an organization has 40 seconds a minute. An answer ends before `limit` where its events take more than 4 MiB; `has_more` tells so. A request that is closed ends its query.',
    status: 200,
    answer: EqlAnswer,
    errors: [ArchiveUnavailable, QueryTooLong, TooManyQueries, QueryNeedsTooMuchMemory, TooManyLargeReads],
  })
  run(
    @Scope() scope: ProjectMemberScope,
    @Body() body: EqlRequest,
    @RawRequest() request: Request,
  ): Promise<WrittenJson<EqlAnswer>> {
    return this.eql.run(scope, body, whenClosed(request));
  }
}
