import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  NestedField,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { ATTEMPT_STATUSES, type AttemptStatus } from '../attempts/attempt-states.js';
import type { AttemptView } from '../history/attempt-view.js';
import { AttemptResponse, DecisionResponse, RetryAuditResponse } from '../history/history.dto.js';
import type { RecoveryAudit } from './recovery-audit.entity.js';

export class ReadinessResponse extends DecisionResponse {
  @NestedField(() => AttemptResponse, { description: 'The attempt as it is now' })
  attempt!: AttemptResponse;
}

export class ReplayAuditResponse {
  @UuidField({})
  id!: string;

  @EnumField(['replay'] as const, { description: 'What is done' })
  action!: 'replay';

  @UuidField({ description: 'The attempt that was asked about' })
  source_attempt_id!: string;

  @UuidField({ description: 'The new attempt; null: none was made' })
  replay_attempt_id!: string;

  @UuidField({ nullable: true, description: 'Who did it; null: that account is gone' })
  actor_user_id!: string | null;

  @DateTimeField({})
  created_at!: string;
}

export class ReplayResponse {
  @UuidField({ description: 'The attempt that was asked about' })
  source_attempt_id!: string;

  @NestedField(() => AttemptResponse, { description: 'As it is when this is answered; `pending` when it still waits' })
  replay_attempt!: AttemptResponse;

  @NestedField(() => ReplayAuditResponse, { description: 'The record of it' })
  replay_audit!: ReplayAuditResponse;
}

export class RetryNowResponse {
  @BooleanField({ description: 'False when refused: `readiness` says why' })
  executed!: boolean;

  @UuidField({ description: 'The attempt that was asked about' })
  source_attempt_id!: string;

  @NestedField(() => ReadinessResponse, { description: 'As it was decided' })
  readiness!: ReadinessResponse;

  @NestedField(() => AttemptResponse, { nullable: true, description: 'After the try; null when not executed' })
  attempt!: AttemptResponse | null;

  @NestedField(() => RetryAuditResponse, { nullable: true, description: 'The record of it; null: nothing was sent' })
  retry_audit!: RetryAuditResponse | null;
}

export class DlqDrainResponse {
  @EnumField(['dlq_drain'] as const, { description: 'What is done' })
  action!: 'dlq_drain';

  @EnumField(['executed'] as const, { description: 'Refusals are answered with 409' })
  execution_status!: 'executed';

  @UuidField({ description: 'The attempt that was drained' })
  original_attempt_id!: string;

  @UuidField({ description: 'The new attempt' })
  created_attempt_id!: string;

  @UuidField({ description: 'Of the record of it' })
  audit_id!: string;

  @EnumField(ATTEMPT_STATUSES, { description: '`pending` when the new attempt still waits' })
  delivery_status!: AttemptStatus;

  @TextField({ nullable: true, description: 'Why the new attempt failed, as one word; null otherwise' })
  reason_code!: string | null;

  @TextField({ nullable: true, description: 'A sentence that says why' })
  reason!: string | null;

  @IntField({ nullable: true, description: 'HTTP status or SMTP reply; null: there was no answer' })
  response_code!: number | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true, description: 'When the new attempt came to its end; null: not yet' })
  completed_at!: string | null;
}

/** @param created the new attempt */
export function replayResponse(audit: RecoveryAudit, created: AttemptResponse): ReplayResponse {
  const { id, sourceAttemptId, actorUserId, createdAt } = audit;
  return {
    source_attempt_id: sourceAttemptId,
    replay_attempt: created,
    replay_audit: {
      id,
      action: 'replay',
      source_attempt_id: sourceAttemptId,
      replay_attempt_id: created.id,
      actor_user_id: actorUserId,
      created_at: createdAt.toISOString(),
    },
  };
}

/** @param created the new attempt */
export function drainResponse({ id, sourceAttemptId }: RecoveryAudit, created: AttemptView): DlqDrainResponse {
  return {
    action: 'dlq_drain',
    execution_status: 'executed',
    original_attempt_id: sourceAttemptId,
    created_attempt_id: created.id,
    audit_id: id,
    delivery_status: created.status,
    reason_code: created.failureCode,
    reason: created.failureReason,
    response_code: created.responseCode,
    created_at: created.createdAt.toISOString(),
    completed_at: created.completedAt?.toISOString() ?? null,
  };
}
