import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { OrganizationId, UserId } from '../../access/index.js';
import type { Plan } from './plans.js';

/** Billing statuses that only platform administration can set and remove. */
export const BILLING_HOLDS = ['blocked', 'suspended'] as const;
/** Values of `billing_status`. */
export const BILLING_STATES = ['active', 'trialing', 'past_due', 'inactive', 'canceled', ...BILLING_HOLDS] as const;
export type BillingHold = (typeof BILLING_HOLDS)[number];

@Entity('organizations')
@Index('uq_organizations_slug', { synchronize: false })
@Check('ck_organizations_plan', `plan IN ('free', 'pro', 'scale', 'enterprise')`)
@Check('ck_organizations_limit', 'events_per_month_limit >= 0')
@Check('ck_organizations_owner', 'owner_id IS NOT NULL OR deleted_at IS NOT NULL')
@Check('ck_organizations_billing_hold', `billing_hold IN ('blocked', 'suspended')`)
@Unique('uq_organizations_payment_customer_id', ['paymentCustomerId'])
@Unique('uq_organizations_payment_subscription_id', ['paymentSubscriptionId'])
export class Organization {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_organizations' })
  id!: OrganizationId;

  @Column('text')
  name!: string;

  @Column('text')
  slug!: string;

  /** Null only when the organization is deleted. No scope is created for a deleted organization. */
  @Index('ix_organizations_owner_id')
  @Column('uuid', { name: 'owner_id', nullable: true })
  ownerId!: UserId;

  @Column('text', { default: 'free' })
  plan!: Plan;

  @Column('text', { name: 'billing_status', default: 'active' })
  billingStatus!: string;

  /** Null: the limit of the plan applies. 0: no events are accepted. */
  @Column('bigint', {
    name: 'events_per_month_limit',
    nullable: true,
    transformer: {
      to: (value: number | null) => value,
      from: (value: string | null) => (value === null ? null : Number(value)),
    },
  })
  eventsPerMonthLimit!: number | null;

  /** The payment provider's id of the customer. Null when nobody has started a checkout or opened the portal. */
  @Column('text', { name: 'payment_customer_id', nullable: true })
  paymentCustomerId!: string | null;

  @Column('text', { name: 'payment_subscription_id', nullable: true })
  paymentSubscriptionId!: string | null;

  /** The status of the subscription, in the terms of the payment provider. */
  @Column('text', { name: 'payment_subscription_status', nullable: true })
  paymentSubscriptionStatus!: string | null;

  @Column('text', { name: 'payment_price_id', nullable: true })
  paymentPriceId!: string | null;

  /**
   * `blocked` or `suspended` by platform administration. The value is kept while the status is `canceled`, and a
   * payment does not remove it.
   */
  @Column('text', { name: 'billing_hold', nullable: true })
  billingHold!: BillingHold | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Set when the organization is deleted. The row stays until the rows of its projects are removed. */
  @Index('ix_organizations_deleted_at', { where: 'deleted_at IS NOT NULL' })
  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
