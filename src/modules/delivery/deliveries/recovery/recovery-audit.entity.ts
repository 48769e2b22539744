import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { Recovery } from '../attempts/attempt-states.js';

/**
 * The record of a replay or drain, which names the user who made a new attempt from a failed one. It is inserted with
 * the new attempt.
 */
@Entity('delivery_recovery_audits')
@Check('ck_delivery_recovery_audits_action', `action IN ('replay', 'dlq_drain')`)
export class RecoveryAudit {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_delivery_recovery_audits' })
  id!: string;

  @Index('ix_delivery_recovery_audits_project_id')
  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Column('text')
  action!: Recovery;

  @Index('ix_delivery_recovery_audits_source_attempt_id')
  @Column('uuid', { name: 'source_attempt_id' })
  sourceAttemptId!: string;

  @Column('uuid', { name: 'created_attempt_id' })
  createdAttemptId!: string;

  @Column('uuid', { name: 'actor_user_id', nullable: true })
  actorUserId!: string | null;

  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
