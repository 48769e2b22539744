import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  NestedField,
  TextField,
  UuidField,
} from '../../../../platform/http/fields/index.js';
import { ATTEMPT_STATUSES, type AttemptStatus } from '../attempts/attempt-states.js';
import type { AttemptView } from '../history/attempt-view.js';
import { AttemptResponse, DecisionResponse, RetryAuditResponse } from '../history/history.dto.js';
import type { RecoveryAudit } from './recovery-audit.entity.js';

export class ReadinessResponse extends DecisionResponse {
  @NestedField(() => AttemptResponse, {})
  attempt!: AttemptResponse;
}

export class ReplayAuditResponse {
  @UuidField({})
  id!: string;

  @EnumField(['replay'] as const, {})
  action!: 'replay';

  @UuidField({})
  source_attempt_id!: string;

  @UuidField({})
  replay_attempt_id!: string;

  @UuidField({ nullable: true })
  actor_user_id!: string | null;

  @DateTimeField({})
  created_at!: string;
}

export class ReplayResponse {
  @UuidField({})
  source_attempt_id!: string;

  @NestedField(() => AttemptResponse, { description: 'As it is when this is answered; `pending` when it still waits' })
  replay_attempt!: AttemptResponse;

  @NestedField(() => ReplayAuditResponse, {})
  replay_audit!: ReplayAuditResponse;
}

export class RetryNowResponse {
  @BooleanField({ description: 'False when refused: `readiness` says why' })
  executed!: boolean;

  @UuidField({})
  source_attempt_id!: string;

  @NestedField(() => ReadinessResponse, { description: 'As it was decided' })
  readiness!: ReadinessResponse;

  @NestedField(() => AttemptResponse, { nullable: true, description: 'After the try; null when not executed' })
  attempt!: AttemptResponse | null;

  @NestedField(() => RetryAuditResponse, { nullable: true })
  retry_audit!: RetryAuditResponse | null;
}

export class DlqDrainResponse {
  @EnumField(['dlq_drain'] as const, {})
  action!: 'dlq_drain';

  @EnumField(['executed'] as const, {})
  execution_status!: 'executed';

  @UuidField({})
  original_attempt_id!: string;

  @UuidField({})
  created_attempt_id!: string;

  @UuidField({})
  audit_id!: string;

  @EnumField(ATTEMPT_STATUSES, { description: '`pending` when the new attempt still waits' })
  delivery_status!: AttemptStatus;

  @TextField({ nullable: true, description: 'Why the new attempt failed, as one word; null otherwise' })
  reason_code!: string | null;

  @TextField({ nullable: true })
  reason!: string | null;

  @IntField({ nullable: true })
  response_code!: number | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true })
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
