import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../../access/index.js';
import type { PaidPlan } from '../../../tenancy/organizations/index.js';

/** A subscription at the payment provider, as its newest event or a query of the provider has shown it. */
@Entity('payment_subscriptions')
@Check('ck_payment_subscriptions_holder', 'num_nonnulls(organization_id, user_id) = 1')
@Check('ck_payment_subscriptions_plan', `plan IN ('pro', 'scale', 'enterprise')`)
export class PaymentSubscription {
  /** The provider's identifier. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'pk_payment_subscriptions' })
  id!: string;

  @Index('ix_payment_subscriptions_organization_id')
  @Column('uuid', { name: 'organization_id', nullable: true })
  organizationId!: OrganizationId | null;

  /** The person who pays, as long as they have no organization. */
  @Index('ix_payment_subscriptions_user_id')
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: UserId | null;

  @Column('text', { name: 'customer_id', nullable: true })
  customerId!: string | null;

  /** The provider's name of the status. */
  @Column('text')
  status!: string;

  @Column('text', { name: 'price_id', nullable: true })
  priceId!: string | null;

  /** Null when the price is not configured for any plan. */
  @Column('text', { nullable: true })
  plan!: PaidPlan | null;

  /** Whether any event of the subscription showed a payment: see `standingAfter` in `subscription-rules.ts`. */
  @Column('boolean', { name: 'was_paid', default: true })
  wasPaid!: boolean;

  /** The time at which the subscription was created at the provider. */
  @Column('timestamptz', { name: 'started_at' })
  startedAt!: Date;

  /**
   * The time of the newest event that was applied, in whole seconds as the provider reports it. 1970 means that only
   * the checkout of the subscription is known.
   */
  @Column('timestamptz', { name: 'seen_at' })
  seenAt!: Date;

  /** Orders the events of one second: see `SIGHT_KINDS` in `subscription-rules.ts`. */
  @Column('smallint', { name: 'seen_kind' })
  seenKind!: number;

  /** Increases with each change, so that a process that has queried the provider notices a change made meanwhile. */
  @Column('integer', { default: 0 })
  revision!: number;
}
