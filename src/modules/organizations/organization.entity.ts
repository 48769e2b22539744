import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Plan } from './plans.js';

@Entity('organizations')
@Unique('uq_organizations_slug', ['slug'])
@Check('ck_organizations_plan', `plan IN ('free', 'pro', 'scale', 'enterprise')`)
@Check('ck_organizations_limit', 'events_per_month_limit >= 0')
export class Organization {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_organizations' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  slug!: string;

  @Index('ix_organizations_owner_id')
  @Column('uuid', { name: 'owner_id' })
  ownerId!: string;

  @Column('text', { default: 'free' })
  plan!: Plan;

  @Column('text', { name: 'billing_status', default: 'active' })
  billingStatus!: string;

  /** Null: the plan's own limit holds. 0: nothing may be ingested. */
  @Column('bigint', {
    name: 'events_per_month_limit',
    nullable: true,
    transformer: {
      to: (value: number | null) => value,
      from: (value: string | null) => (value === null ? null : Number(value)),
    },
  })
  eventsPerMonthLimit!: number | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}
