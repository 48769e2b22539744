import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import { ProjectOfDeliveryQuery } from '../channels/channels.dto.js';
import { AttemptNotFound } from '../delivery.errors.js';
import { AttemptOfProject } from './history.repository.js';
import {
  AttemptDetailResponse,
  HistoryQuery,
  HistoryResponse,
  RetryAuditsQuery,
  RetryAuditsResponse,
} from './history.dto.js';
import { HistoryService } from './history.service.js';

@ApiTags('delivery')
@Controller('v1/delivery')
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get('history')
  @Requires({ capability: 'delivery:read' })
  @Documented({
    operationId: 'listDeliveryAttempts',
    summary: 'Attempts with filters',
    description: 'Newest first.',
    answer: HistoryResponse,
  })
  list(@Scope() scope: ProjectMemberScope, @Query() query: HistoryQuery): Promise<HistoryResponse> {
    return this.history.list(scope, query);
  }

  @Get('history/:attempt_id')
  @Requires({ capability: 'delivery:read', thing: AttemptOfProject })
  @Documented({
    operationId: 'getDeliveryAttempt',
    summary: 'One attempt',
    description:
      'Adds to the members of the list: the last request, the beginning of the answer of the receiver, the retry policy, and when it ended.',
    answer: AttemptDetailResponse,
    errors: [AttemptNotFound],
  })
  get(
    @Scope() scope: ProjectMemberScope,
    @IdParam('attempt_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<AttemptDetailResponse> {
    return this.history.get(scope, id);
  }

  @Get('retry-audits')
  @Requires({ capability: 'delivery:read' })
  @Documented({
    operationId: 'listRetryAudits',
    summary: 'Retry audit entries',
    description: 'One for each retry, newest first; the first send of an attempt is no retry.',
    answer: RetryAuditsResponse,
  })
  audits(@Scope() scope: ProjectMemberScope, @Query() query: RetryAuditsQuery): Promise<RetryAuditsResponse> {
    return this.history.audits(scope, query);
  }
}
