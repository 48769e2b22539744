import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { OutboxColumns } from '../../../delivery/sending/index.js';
import type { DestinationType } from '../drivers/destination-drivers.js';
import type { AlertDeliveryStatus } from './delivery-transitions.js';

const WAITING = 'due_at IS NOT NULL AND claim_token IS NULL';

/**
 * One notification to one destination: the outbox row with its schedule and the evidence of its sends. The row is
 * inserted in the transaction that causes it, and changed by the holder of its claim. It stays when the destination is
 * deleted.
 */
@Entity('alert_deliveries')
@Index('ix_alert_deliveries_project_id', ['projectId', 'createdAt', 'id'])
@Index('ix_alert_deliveries_destination_id', ['destinationId', 'createdAt', 'id'])
@Index('ix_alert_deliveries_alert_event_id', ['alertEventId', 'createdAt'])
@Index('ix_alert_deliveries_failed', ['projectId', 'createdAt'], { where: `status = 'failed'` })
@Index('ix_alert_deliveries_due', ['destinationId', 'dueAt'], { where: WAITING })
@Index('ix_alert_deliveries_series', ['destinationId', 'fingerprint', 'createdAt'], {
  where: 'due_at IS NOT NULL AND fingerprint IS NOT NULL',
})
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
export class AlertDelivery extends OutboxColumns {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_alert_deliveries' })
  id!: string;

  @Index('ix_alert_deliveries_notice_id')
  @Column('uuid', { name: 'notice_id' })
  noticeId!: string;

  @Column('uuid', { name: 'alert_event_id' })
  alertEventId!: string;

  @Column('uuid', { name: 'destination_id' })
  destinationId!: string;

  /** The alert's fingerprint. Deliveries of one fingerprint reach the destination in order. Null: in any order. */
  @Column('text', { nullable: true })
  fingerprint!: string | null;

  /** Name and type of the destination, as they were when the delivery was inserted. */
  @Column('text', { name: 'destination_name' })
  destinationName!: string;

  @Column('text', { name: 'destination_type' })
  destinationType!: DestinationType;

  @Column('text', { default: 'pending' })
  status!: AlertDeliveryStatus;

  /** How many sends have failed. */
  @Column('integer', { name: 'retry_count', default: 0 })
  retryCount!: number;
}
