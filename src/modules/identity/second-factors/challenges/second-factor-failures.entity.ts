import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../../access/index.js';

/** The failed second-factor answers of an account since its last valid one. */
@Entity('second_factor_failures')
export class SecondFactorFailures {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_second_factor_failures' })
  userId!: UserId;

  /** The failures of the last 15 minutes. Older ones are dropped at the next failure. */
  @Column('timestamptz', { name: 'failed_at', array: true, default: () => "'{}'" })
  failedAt!: Date[];

  /** Null when the account has not been locked since the last valid answer. */
  @Column('timestamptz', { name: 'locked_until', nullable: true })
  lockedUntil!: Date | null;
}
