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

  /** As given at registration. */
  @Column('text')
  email!: string;

  /** The address by `emailKeyOf`; what uniqueness and look-ups go by. */
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  /** Argon2id; null: it signs in through a provider alone, or its registrations disagreed and a reset is to choose. */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  @Column('text', { nullable: true })
  name!: string | null;

  /** Null: the address is not verified and sign-in is refused. */
  @Column('timestamptz', { name: 'email_verified_at', nullable: true })
  emailVerifiedAt!: Date | null;

  /** Always a project the person is a member of; the database clears it with the membership. */
  @Index('ix_users_selected_project_id', { where: 'selected_project_id IS NOT NULL' })
  @Column('uuid', { name: 'selected_project_id', nullable: true })
  selectedProjectId!: string | null;

  /** What was paid for before the first organization exists, which then takes it over (SERVICE 2.13). */
  @Column('text', { name: 'pending_plan', nullable: true })
  pendingPlan!: 'pro' | 'scale' | 'enterprise' | null;

  @Column('text', { name: 'pending_billing_status', nullable: true })
  pendingBillingStatus!: string | null;

  /** Also set by a checkout that was never finished. */
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
