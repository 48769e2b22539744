import { Column } from 'typeorm';
import type { ProjectId } from '../../access/index.js';

/**
 * What every table of things to send has of a row's schedule, claim and evidence; beside it stand `status`, `retry_count` and
 * the column of its lane, whose meaning differs.
 */
export abstract class OutboxRow {
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  /** When the next try is due; stays while the row is claimed. Null: no further try. */
  @Column('timestamptz', { name: 'due_at', nullable: true, default: () => 'now()' })
  dueAt!: Date | null;

  /** Of the last try, as the three below; an HTTP status or an SMTP reply code. */
  @Column('integer', { name: 'response_code', nullable: true })
  responseCode!: number | null;

  @Column('text', { name: 'response_summary', nullable: true })
  responseSummary!: string | null;

  @Column('text', { name: 'failure_code', nullable: true })
  failureCode!: string | null;

  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason!: string | null;

  /** Null: nobody is working on it. */
  @Column('uuid', { name: 'claim_token', nullable: true })
  claimToken!: string | null;

  @Column('text', { name: 'claim_owner', nullable: true })
  claimOwner!: string | null;

  @Column('timestamptz', { name: 'claim_expires_at', nullable: true })
  claimExpiresAt!: Date | null;

  /** The claim that wrote the last result, so that writing it again after a lost answer is recognised. */
  @Column('uuid', { name: 'finished_token', nullable: true })
  finishedToken!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** When it was sent or failed for good. */
  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;
}
