import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { ClaimKind, RetryAuditStatus } from './attempt-states.js';

/** The record of one retry of an attempt: inserted with the claim, completed with its result. */
@Entity('delivery_retry_audits')
@Index('ix_delivery_retry_audits_project_id', ['projectId', 'startedAt', 'id'])
@Index('ix_delivery_retry_audits_attempt_id', ['attemptId', 'startedAt'])
@Check('ck_delivery_retry_audits_status', `status IN ('claimed', 'dispatched', 'failed', 'exhausted', 'skipped')`)
export class RetryAudit {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_delivery_retry_audits' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('uuid', { name: 'attempt_id' })
  attemptId!: string;

  @Column('uuid', { name: 'claim_token' })
  claimToken!: string;

  @Column('text', { name: 'claim_kind' })
  claimKind!: ClaimKind;

  /** The number of the retry: 1 for the second send of an attempt. Retries by operators count too. */
  @Column('integer', { name: 'retry_number' })
  retryNumber!: number;

  /** The process that sent, or `user:<id>` for a Retry Now. */
  @Column('text', { name: 'worker_id' })
  workerId!: string;

  @Column('text', { default: 'claimed' })
  status!: RetryAuditStatus;

  @Column('timestamptz', { name: 'started_at', default: () => 'now()' })
  startedAt!: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;

  @Column('integer', { name: 'response_code', nullable: true })
  responseCode!: number | null;

  @Column('text', { name: 'response_summary', nullable: true })
  responseSummary!: string | null;

  @Column('text', { nullable: true })
  reason!: string | null;
}
