import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../platform/access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { DeliveryAttempt } from './attempt.entity.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

export type NewAttempt = Pick<DeliveryAttempt, 'id' | 'channelId' | 'kind'> & {
  readonly rule?: Readonly<Record<string, unknown>> | null;
  readonly event?: Readonly<Record<string, unknown>> | null;
} & Partial<
    Pick<
      DeliveryAttempt,
      'eventId' | 'ruleId' | 'sourceId' | 'evaluationId' | 'parentAttemptId' | 'recovery' | 'deliveredTo'
    >
  >;

/** Makes attempts; what becomes of them is {@link ClaimsRepository}'s. */
@Injectable()
export class AttemptsRepository {
  constructor(private readonly database: Database) {}

  /** Due at once. */
  async insert({ projectId }: Tenant, attempt: NewAttempt, tx: Db): Promise<void> {
    await this.write(projectId, attempt, tx);
  }

  /** For a channel that is disabled: over before it began, and there to be seen and replayed. */
  async insertSkipped({ projectId }: Tenant, attempt: NewAttempt, code: string, tx: Db): Promise<void> {
    await this.write(projectId, attempt, tx);
    await this.database.execute(
      `UPDATE delivery_attempts
       SET status = 'failed', retry_state = 'terminal', due_at = NULL, failure_code = $2, failure_reason = $2,
           completed_at = clock_timestamp(), terminal_at = clock_timestamp()
       WHERE id = $1`,
      [attempt.id, code],
      tx,
    );
  }

  /** Holds the row, so that recoveries of one attempt and its claims queue up. */
  lock({ projectId }: Tenant, id: string, tx: Db): Promise<DeliveryAttempt | null> {
    return this.database
      .repository(DeliveryAttempt, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'pessimistic_write' } });
  }

  find({ projectId }: Tenant, id: string, db?: Db): Promise<DeliveryAttempt | null> {
    return this.database.repository(DeliveryAttempt, db).findOneBy({ projectId, id });
  }

  /** @returns how many were removed; their audits go with them */
  removeOf(projectId: string, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM delivery_attempts WHERE id IN (
         SELECT id FROM delivery_attempts WHERE project_id = $1 LIMIT $2)`,
      [projectId, limit],
    );
  }

  private async write(projectId: string, attempt: NewAttempt, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO delivery_attempts
         (id, project_id, channel_id, kind, rule, event, event_id, rule_id, source_id, evaluation_id, parent_attempt_id,
          recovery, delivered_to, created_at, due_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, clock_timestamp(), clock_timestamp())`,
      [
        attempt.id,
        projectId,
        attempt.channelId,
        attempt.kind,
        attempt.rule ? JSON.stringify(attempt.rule) : null,
        attempt.event ? JSON.stringify(attempt.event) : null,
        attempt.eventId ?? null,
        attempt.ruleId ?? null,
        attempt.sourceId ?? null,
        attempt.evaluationId ?? null,
        attempt.parentAttemptId ?? null,
        attempt.recovery ?? null,
        attempt.deliveredTo ?? [],
      ],
      tx,
    );
  }
}
