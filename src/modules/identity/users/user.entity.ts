import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UserId } from '../../access/index.js';

@Entity('users')
@Unique('uq_users_email_key', ['emailKey'])
@Check('ck_users_pending_plan', `pending_plan IN ('pro', 'scale', 'enterprise')`)
@Unique('uq_users_pending_customer_id', ['pendingCustomerId'])
@Unique('uq_users_pending_subscription_id', ['pendingSubscriptionId'])
export class User {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_users' })
  id!: UserId;

  /** The address as the user typed it. */
  @Column('text')
  email!: string;

  /** The result of `emailKeyOf`. Uniqueness and lookups use this key. */
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  /**
   * Argon2id hash. Null when the account signs in only through a provider, or when registrations with different
   * passwords voided the password until a reset.
   */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  @Column('text', { nullable: true })
  name!: string | null;

  /** Null until the address is verified. Until then sign-in is refused. */
  @Column('timestamptz', { name: 'email_verified_at', nullable: true })
  emailVerifiedAt!: Date | null;

  /** Set while an operator of the service keeps the account from signing in. */
  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;

  /**
   * The selected project. The user is always a member of it: the database sets the column to null when the membership
   * ends.
   */
  @Index('ix_users_selected_project_id', { where: 'selected_project_id IS NOT NULL' })
  @Column('uuid', { name: 'selected_project_id', nullable: true })
  selectedProjectId!: string | null;

  /**
   * The plan that was paid for before the user had an organization. The first organization takes over the pending plan
   * and subscription.
   */
  @Column('text', { name: 'pending_plan', nullable: true })
  pendingPlan!: 'pro' | 'scale' | 'enterprise' | null;

  @Column('text', { name: 'pending_billing_status', nullable: true })
  pendingBillingStatus!: string | null;

  /** A checkout that was never finished sets this column too. */
  @Column('text', { name: 'pending_customer_id', nullable: true })
  pendingCustomerId!: string | null;

  @Column('text', { name: 'pending_subscription_id', nullable: true })
  pendingSubscriptionId!: string | null;

  @Column('text', { name: 'pending_subscription_status', nullable: true })
  pendingSubscriptionStatus!: string | null;

  @Column('text', { name: 'pending_price_id', nullable: true })
  pendingPriceId!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
