import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type ProjectMemberScope, Requires } from '../../../access/index.js';
import { Documented } from '../../../../platform/http/documented.js';
import { IdParam, Query, Scope } from '../../../../platform/http/inputs.js';
import { ProjectOfDeliveryQuery } from '../channels/channels.dto.js';
import {
  AttemptNotFound,
  ProtectedHeadersUnavailable,
  RecoveryRefused,
  SigningUnavailable,
} from '../delivery.errors.js';
import { AttemptOfProject } from '../history/history.repository.js';
import { ReadinessService } from './readiness.service.js';
import { DlqDrainResponse, ReadinessResponse, ReplayResponse, RetryNowResponse } from './recovery.dto.js';
import { RecoveryService } from './recovery.service.js';
import { RetryNowService } from './retry-now.service.js';

const READ_ONLY = 'Reads alone and reserves nothing: the action itself decides again.';

@ApiTags('delivery')
@Controller('v1/delivery/history/:attempt_id')
export class RecoveryController {
  constructor(
    private readonly readiness: ReadinessService,
    private readonly recovery: RecoveryService,
    private readonly retries: RetryNowService,
  ) {}

  @Post('replay-readiness')
  @Requires({ capability: 'delivery:read', thing: AttemptOfProject })
  @Documented({
    operationId: 'getReplayReadiness',
    summary: 'Would a replay be allowed',
    description: READ_ONLY,
    answer: ReadinessResponse,
    errors: [AttemptNotFound],
  })
  replayReadiness(
    @Scope() scope: ProjectMemberScope,
    @IdParam('attempt_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<ReadinessResponse> {
    return this.readiness.ask(scope, id, 'replay');
  }

  @Post('replay')
  @Requires({ capability: 'delivery:replay', thing: AttemptOfProject })
  @Documented({
    operationId: 'replayDeliveryAttempt',
    summary: 'Replay',
    description:
      'Makes a new attempt of a failed one and sends it at once, retried by the policy. Once for each source. A retry that is scheduled for the source ends with it: the source becomes `terminal` and keeps its evidence.',
    answer: ReplayResponse,
    errors: [AttemptNotFound, RecoveryRefused, ProtectedHeadersUnavailable, SigningUnavailable],
  })
  replay(
    @Scope() scope: ProjectMemberScope,
    @IdParam('attempt_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<ReplayResponse> {
    return this.recovery.replay(scope, id);
  }

  @Post('retry-now-readiness')
  @Requires({ capability: 'delivery:read', thing: AttemptOfProject })
  @Documented({
    operationId: 'getRetryReadiness',
    summary: 'Would Retry Now be allowed',
    description: READ_ONLY,
    answer: ReadinessResponse,
    errors: [AttemptNotFound],
  })
  retryNowReadiness(
    @Scope() scope: ProjectMemberScope,
    @IdParam('attempt_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<ReadinessResponse> {
    return this.readiness.ask(scope, id, 'retry_now');
  }

  @Post('retry-now')
  @Requires({ capability: 'delivery:retry_now', thing: AttemptOfProject })
  @Documented({
    operationId: 'retryDeliveryAttempt',
    summary: 'Retry now',
    description:
      'Makes the next try of a scheduled attempt at once and waits for it. Takes nothing of the automatic retries. Refused: `executed` false; of callers at the same time one gets the try, and the others `retry_claim_active`, also when that try is over by then.',
    answer: RetryNowResponse,
    errors: [AttemptNotFound, ProtectedHeadersUnavailable, SigningUnavailable],
  })
  retryNow(
    @Scope() scope: ProjectMemberScope,
    @IdParam('attempt_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<RetryNowResponse> {
    return this.retries.retry(scope, id);
  }

  @Post('dlq-drain-readiness')
  @Requires({ capability: 'delivery:read', thing: AttemptOfProject })
  @Documented({
    operationId: 'getDrainReadiness',
    summary: 'Would a drain be allowed',
    description: READ_ONLY,
    answer: ReadinessResponse,
    errors: [AttemptNotFound],
  })
  drainReadiness(
    @Scope() scope: ProjectMemberScope,
    @IdParam('attempt_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<ReadinessResponse> {
    return this.readiness.ask(scope, id, 'dlq_drain');
  }

  @Post('dlq-drain')
  @Requires({ capability: 'delivery:dlq_drain', thing: AttemptOfProject })
  @Documented({
    operationId: 'drainDeliveryAttempt',
    summary: 'Drain one dead-lettered attempt',
    description: 'Makes a new attempt of it and sends that at once, retried by the policy. Once for each source.',
    answer: DlqDrainResponse,
    errors: [AttemptNotFound, RecoveryRefused, ProtectedHeadersUnavailable, SigningUnavailable],
  })
  drain(
    @Scope() scope: ProjectMemberScope,
    @IdParam('attempt_id') id: string,
    @Query() _query: ProjectOfDeliveryQuery,
  ): Promise<DlqDrainResponse> {
    return this.recovery.drain(scope, id);
  }
}
