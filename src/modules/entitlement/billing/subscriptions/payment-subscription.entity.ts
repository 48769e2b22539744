import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId, UserId } from '../../../access/index.js';
import type { PaidPlan } from '../../../tenancy/organizations/index.js';

/** A subscription at the payment provider, as its newest event or a look at the provider has shown it. */
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

  /** Of somebody who has no organization yet. */
  @Index('ix_payment_subscriptions_user_id')
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: UserId | null;

  @Column('text', { name: 'customer_id', nullable: true })
  customerId!: string | null;

  /** As the provider calls it. */
  @Column('text')
  status!: string;

  @Column('text', { name: 'price_id', nullable: true })
  priceId!: string | null;

  /** Null: nobody knows what the price stands for. */
  @Column('text', { nullable: true })
  plan!: PaidPlan | null;

  /** Whether any of its events showed a payment: see `standingAfter` in `subscription-rules.ts`. */
  @Column('boolean', { name: 'was_paid', default: true })
  wasPaid!: boolean;

  /** When the subscription was made. */
  @Column('timestamptz', { name: 'started_at' })
  startedAt!: Date;

  /** Time of the newest event that counts, in whole seconds as the provider gives it; 1970: only its checkout is known. */
  @Column('timestamptz', { name: 'seen_at' })
  seenAt!: Date;

  /** Which of several events of one second is the newest: see `subscription-rules.ts`. */
  @Column('smallint', { name: 'seen_kind' })
  seenKind!: number;

  /** Grows by each change: whoever asked the provider meanwhile sees that something came in between. */
  @Column('integer', { default: 0 })
  revision!: number;
}
