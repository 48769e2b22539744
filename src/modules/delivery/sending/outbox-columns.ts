import { Column } from 'typeorm';
import type { Traceparent } from '../../../platform/telemetry/index.js';
import type { ProjectId } from '../../access/index.js';
import type { SentRequest } from './sent-request.js';

/**
 * The columns that every outbox table has for the schedule, the claim and the evidence of a row. Each table adds
 * `status`, `retry_count` and the column of its lane, because their meaning differs.
 */
export abstract class OutboxColumns {
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** The time at which the next send is due. It stays while the row is claimed. Null when the row is not sent again. */
  @Column('timestamptz', { name: 'due_at', nullable: true, default: () => 'now()' })
  dueAt!: Date | null;

  /** The HTTP status or SMTP reply code of the last send. The next three columns describe the same send. */
  @Column('integer', { name: 'response_code', nullable: true })
  responseCode!: number | null;

  @Column('text', { name: 'response_summary', nullable: true })
  responseSummary!: string | null;

  @Column('text', { name: 'failure_code', nullable: true })
  failureCode!: string | null;

  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason!: string | null;

  /**
   * The HTTP request of the last send that made one, sanitized. It is up to 16 KiB, so it is read only where it is
   * shown.
   */
  @Column('jsonb', { name: 'sent_request', nullable: true, select: false })
  sentRequest?: SentRequest | null;

  /** The token of the claim. Null: no process holds the row. */
  @Column('uuid', { name: 'claim_token', nullable: true })
  claimToken!: string | null;

  @Column('text', { name: 'claim_owner', nullable: true })
  claimOwner!: string | null;

  @Column('timestamptz', { name: 'claim_expires_at', nullable: true })
  claimExpiresAt!: Date | null;

  /**
   * The claim that stored the last result. It identifies a repeated write of that result when the answer to the first
   * write was lost.
   */
  @Column('uuid', { name: 'finished_token', nullable: true })
  finishedToken!: string | null;

  /** The trace of the request that caused the row. Null: it had none. All sends of the row continue it. */
  @Column('text', { nullable: true })
  traceparent!: Traceparent | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** The time at which the row was sent or failed permanently. */
  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;
}
