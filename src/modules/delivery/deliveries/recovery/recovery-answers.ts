import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import { AttemptAnswers } from '../history/attempt-answers.js';
import type { DlqDrainResponse, ReplayResponse } from './recovery.dto.js';
import { RecoveryService } from './recovery.service.js';

/** Replays and drains as the interface answers them. */
@Injectable()
export class RecoveryAnswers {
  constructor(
    private readonly recovery: RecoveryService,
    private readonly attempts: AttemptAnswers,
  ) {}

  async replay(scope: ProjectMemberScope, id: string): Promise<ReplayResponse> {
    const { audit, created } = await this.recovery.recover(scope, id, 'replay');
    return {
      source_attempt_id: id,
      replay_attempt: await this.attempts.summary(created),
      replay_audit: {
        id: audit.id,
        action: 'replay',
        source_attempt_id: id,
        replay_attempt_id: created.id,
        actor_user_id: audit.actorUserId,
        created_at: audit.createdAt.toISOString(),
      },
    };
  }

  async drain(scope: ProjectMemberScope, id: string): Promise<DlqDrainResponse> {
    const { audit, created } = await this.recovery.recover(scope, id, 'dlq_drain');
    return {
      action: 'dlq_drain',
      execution_status: 'executed',
      original_attempt_id: id,
      created_attempt_id: created.id,
      audit_id: audit.id,
      delivery_status: created.status,
      reason_code: created.failureCode,
      reason: created.failureReason,
      response_code: created.responseCode,
      created_at: created.createdAt.toISOString(),
      completed_at: created.completedAt?.toISOString() ?? null,
    };
  }
}
