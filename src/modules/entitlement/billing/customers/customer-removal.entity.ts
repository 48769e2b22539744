import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * A customer to be removed at the payment provider, because the account or organization was deleted. The row is deleted
 * after the removal.
 */
@Entity('payment_customer_removals')
export class CustomerRemoval {
  /** The provider's identifier. */
  @PrimaryColumn('text', { name: 'customer_id', primaryKeyConstraintName: 'pk_payment_customer_removals' })
  customerId!: string;

  @Column('timestamptz', { name: 'requested_at', default: () => 'now()' })
  requestedAt!: Date;

  @Column('integer', { default: 0 })
  tries!: number;

  @Index('ix_payment_customer_removals_next_try_at')
  @Column('timestamptz', { name: 'next_try_at', default: () => 'now()' })
  nextTryAt!: Date;
}
