import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../../access/index.js';

export const OUTCOMES = ['applied', 'outdated', 'unmatched', 'ignored'] as const;
/**
 * `outdated`: a newer event was processed first. `unmatched`: this service knows no holder for the event. `ignored`:
 * this service does not handle the type or kind.
 */
export type Outcome = (typeof OUTCOMES)[number];

/** An event of the payment provider. It is stored before it is processed, and kept for 90 days. */
@Entity('payment_events')
@Index('ix_payment_events_organization_id', ['organizationId', 'receivedAt'])
@Check('ck_payment_events_outcome', `outcome IN ('applied', 'outdated', 'unmatched', 'ignored')`)
@Check('ck_payment_events_processed', '(outcome IS NULL) = (processed_at IS NULL)')
export class PaymentEvent {
  /** The provider's identifier. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_payment_events' })
  id!: string;

  @Column('text')
  type!: string;

  @Column('boolean', { name: 'live_mode' })
  liveMode!: boolean;

  /** The body, as the provider signed it. */
  @Column('text')
  payload!: string;

  @Index('ix_payment_events_received_at')
  @Column('timestamptz', { name: 'received_at', default: () => 'now()' })
  receivedAt!: Date;

  @Column('uuid', { name: 'organization_id', nullable: true })
  organizationId!: OrganizationId | null;

  /** The person whom the event is about, if they have no organization. The event is deleted with their account. */
  @Index('ix_payment_events_user_id')
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: UserId | null;

  /** Null while the event is not processed. */
  @Column('text', { nullable: true })
  outcome!: Outcome | null;

  @Column('timestamptz', { name: 'processed_at', nullable: true })
  processedAt!: Date | null;

  /** How often processing has failed. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;
}
