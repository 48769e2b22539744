import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProjectId } from '../../../access/index.js';
import type { DestinationType } from '../drivers/destination-drivers.js';
import type { AlertDeliveryStatus } from './transitions.js';

const WAITING = 'due_at IS NOT NULL AND claim_token IS NULL';

/**
 * One notice to one destination: the outbox row, its schedule and the evidence. Inserted in the transaction of its
 * cause, changed by whoever holds its claim. Outlives the destination.
 */
@Entity('alert_deliveries')
@Index('ix_alert_deliveries_project_id', ['projectId', 'createdAt', 'id'])
@Index('ix_alert_deliveries_alert_event_id', ['alertEventId', 'createdAt'])
@Index('ix_alert_deliveries_failed', ['projectId', 'createdAt'], { where: `status = 'failed'` })
@Index('ix_alert_deliveries_due', ['destinationId', 'dueAt'], { where: WAITING })
@Index('ix_alert_deliveries_backlog', ['dueAt'], { where: WAITING })
@Index('ix_alert_deliveries_claim_expires_at', ['claimExpiresAt'], { where: 'claim_token IS NOT NULL' })
@Check('ck_alert_deliveries_status', `status IN ('pending', 'retrying', 'sent', 'failed')`)
@Check('ck_alert_deliveries_due', `(due_at IS NOT NULL) = (status IN ('pending', 'retrying'))`)
@Check('ck_alert_deliveries_completed', `(completed_at IS NOT NULL) = (status IN ('sent', 'failed'))`)
@Check('ck_alert_deliveries_retry_count', 'retry_count BETWEEN 0 AND 5')
@Check(
  'ck_alert_deliveries_claim',
  '(claim_token IS NULL) = (claim_owner IS NULL) AND (claim_token IS NULL) = (claim_expires_at IS NULL)',
)
export class AlertDelivery {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_deliveries' })
  id!: string;

  @Column('uuid', { name: 'project_id' })
  projectId!: ProjectId;

  @Index('ix_alert_deliveries_notice_id')
  @Column('uuid', { name: 'notice_id' })
  noticeId!: string;

  @Column('uuid', { name: 'alert_event_id' })
  alertEventId!: string;

  @Column('uuid', { name: 'destination_id' })
  destinationId!: string;

  /** As they were when the alert was raised. */
  @Column('text', { name: 'destination_name' })
  destinationName!: string;

  @Column('text', { name: 'destination_type' })
  destinationType!: DestinationType;

  @Column('text', { default: 'pending' })
  status!: AlertDeliveryStatus;

  /** Failed tries. */
  @Column('integer', { name: 'retry_count', default: 0 })
  retryCount!: number;

  /** When the next try is due; stays while the delivery is claimed. Null: no further try. */
  @Column('timestamptz', { name: 'due_at', nullable: true, default: () => 'now()' })
  dueAt!: Date | null;

  /** Of the last try, as is what follows. */
  @Column('integer', { name: 'response_code', nullable: true })
  responseCode!: number | null;

  @Column('text', { name: 'response_summary', nullable: true })
  responseSummary!: string | null;

  @Column('text', { name: 'failure_code', nullable: true })
  failureCode!: string | null;

  @Column('text', { name: 'failure_reason', nullable: true })
  failureReason!: string | null;

  @Column('uuid', { name: 'claim_token', nullable: true })
  claimToken!: string | null;

  @Column('text', { name: 'claim_owner', nullable: true })
  claimOwner!: string | null;

  @Column('timestamptz', { name: 'claim_expires_at', nullable: true })
  claimExpiresAt!: Date | null;

  /** The claim whose result was written last. */
  @Column('uuid', { name: 'finished_token', nullable: true })
  finishedToken!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt!: Date | null;
}
