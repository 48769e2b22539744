import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { stringifyExact } from '../../../../platform/json/index.js';
import { mayBeOrdered } from '../../sending/index.js';
import { DeliveryAttempt } from './attempt.entity.js';
import { ATTEMPT_ROWS } from './due-rows.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

export type NewAttempt = Pick<DeliveryAttempt, 'id' | 'channelId' | 'kind'> & {
  readonly rule?: Readonly<Record<string, unknown>> | null;
  readonly event?: Readonly<Record<string, unknown>> | null;
} & Partial<
    Pick<
      DeliveryAttempt,
      | 'fingerprint'
      | 'eventId'
      | 'ruleId'
      | 'sourceId'
      | 'evaluationId'
      | 'parentAttemptId'
      | 'recovery'
      | 'deliveredTo'
      | 'traceparent'
    >
  >;

/** Inserts, reads and deletes attempts. {@link SendingEngine} stores the outcomes of their sends. */
@Injectable()
export class AttemptsRepository {
  constructor(private readonly database: Database) {}

  /** Inserts an attempt that is due at once. */
  async insert({ projectId }: Tenant, attempt: NewAttempt, tx: Db): Promise<void> {
    await this.write(projectId, attempt, tx);
  }

  /**
   * Inserts one attempt for each channel, due at once. An attempt with `skippedFor` is never sent: it is stored as
   * failed for this reason, and can be read and replayed.
   */
  async insertAll(
    { projectId }: Tenant,
    common: Omit<NewAttempt, 'id' | 'channelId' | 'parentAttemptId' | 'recovery' | 'deliveredTo'>,
    attempts: readonly { readonly id: string; readonly channelId: string; readonly skippedFor: string | null }[],
    tx: Db,
  ): Promise<void> {
    if (attempts.length === 0) return;
    await this.database.execute(
      `INSERT INTO delivery_attempts
         (id, project_id, channel_id, kind, rule, event, event_id, rule_id, source_id, evaluation_id, delivered_to,
          fingerprint, created_at, status, retry_state, due_at, failure_code, failure_reason, completed_at, terminal_at,
          traceparent)
       SELECT a.id, $1, a.channel_id, $2, $3::jsonb, $4::jsonb, $5::uuid, $6::uuid, $7::uuid, $8::uuid, '{}',
              CASE WHEN ${mayBeOrdered(ATTEMPT_ROWS, '$1', 'a.channel_id')} THEN $12 END, at.now,
              CASE WHEN skipped THEN 'failed' ELSE 'pending' END, CASE WHEN skipped THEN 'terminal' ELSE 'pending' END,
              CASE WHEN NOT skipped THEN at.now END, a.skipped_for, a.skipped_for, CASE WHEN skipped THEN at.now END,
              CASE WHEN skipped THEN at.now END, $13
       FROM unnest($9::uuid[], $10::uuid[], $11::text[]) AS a (id, channel_id, skipped_for)
       CROSS JOIN LATERAL (SELECT a.skipped_for IS NOT NULL AS skipped) s
       CROSS JOIN (SELECT clock_timestamp() AS now) at`,
      [
        projectId,
        common.kind,
        common.rule ? JSON.stringify(common.rule) : null,
        common.event ? stringifyExact(common.event) : null,
        common.eventId ?? null,
        common.ruleId ?? null,
        common.sourceId ?? null,
        common.evaluationId ?? null,
        attempts.map(({ id }) => id),
        attempts.map(({ channelId }) => channelId),
        attempts.map(({ skippedFor }) => skippedFor),
        common.fingerprint ?? null,
        common.traceparent ?? null,
      ],
      tx,
    );
  }

  /** Locks the row, so that recoveries and claims of one attempt run one after another. */
  lock({ projectId }: Tenant, id: string, tx: Db): Promise<DeliveryAttempt | null> {
    return this.database
      .repository(DeliveryAttempt, tx)
      .findOne({ where: { projectId, id }, lock: { mode: 'pessimistic_write' } });
  }

  /** Cancels an unclaimed scheduled retry. The evidence of earlier sends stays. The caller has locked the row. */
  async endSchedule({ projectId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE delivery_attempts
       SET retry_state = 'terminal', due_at = NULL, completed_at = clock_timestamp(), terminal_at = clock_timestamp()
       WHERE project_id = $1 AND id = $2 AND retry_state = 'scheduled_retry' AND claim_token IS NULL`,
      [projectId, id],
      tx,
    );
  }

  find({ projectId }: Tenant, id: string, db?: Db): Promise<DeliveryAttempt | null> {
    return this.database.repository(DeliveryAttempt, db).findOneBy({ projectId, id });
  }

  /** Deletes attempts of the project and their audits. @returns how many attempts were deleted */
  removeOf(projectId: ProjectId, limit: number): Promise<number> {
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
          recovery, delivered_to, traceparent, created_at, due_at)
       VALUES ($1, $2, $3, $4, $5,
               coalesce((SELECT p.event FROM delivery_attempts p WHERE p.project_id = $2 AND p.id = $11), $6::jsonb),
               $7, $8, $9, $10, $11, $12, $13, $14, clock_timestamp(), clock_timestamp())`,
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
        attempt.traceparent ?? null,
      ],
      tx,
    );
  }
}
