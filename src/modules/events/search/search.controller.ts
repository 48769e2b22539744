import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type ProjectMemberScope, Requires } from '../../access/index.js';
import { Documented } from '../../../platform/http/documented.js';
import { Query, RawRequest, Scope } from '../../../platform/http/inputs.js';
import { whenClosed } from '../../../platform/http/request-closed.js';
import { QueryTooLong, TooManyQueries } from '../long-reads/index.js';
import { SearchAnswer, SearchQuery } from './search.dto.js';
import { SearchService } from './search.service.js';

@ApiTags('search')
@Controller('v1/search')
export class SearchController {
  constructor(private readonly service: SearchService) {}

  @Get()
  @Requires({ project: 'viewer' })
  @Documented({
    operationId: 'searchProject',
    summary: "Search across a project's resources",
    description:
      'Looks into names, descriptions, types, ids, the beginnings of keys that are shown, keys of objects, and messages of alert events; of events into type, source, message, `external_event_id`, endpoint (its first 4,096 characters) and id. Never into configuration, addresses, payloads or values. What the caller may not read by its own route is not found. What is not found within 300 ms, events apart, has eight seconds and its turn as other long reads have: two at a time in a process, one of a project; others wait for ten seconds, and an organization has 40 seconds a minute. Events are looked through for two seconds, the newest first; `is_partial` tells when that was not enough, and 503 that none could be looked at and nothing else was found. A request that is closed ends its search.',
    answer: SearchAnswer,
    errors: [QueryTooLong, TooManyQueries],
  })
  find(
    @Scope() scope: ProjectMemberScope,
    @Query() query: SearchQuery,
    @RawRequest() request: Request,
  ): Promise<SearchAnswer> {
    return this.service.search(scope, query, whenClosed(request));
  }
}
