import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../../access/index.js';

/** Failed second-factor answers of an account since its last good one. */
@Entity('second_factor_failures')
export class SecondFactorFailures {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_second_factor_failures' })
  userId!: UserId;

  /** Those of the last 15 minutes; older ones are dropped at the next failure. */
  @Column('timestamptz', { name: 'failed_at', array: true, default: () => "'{}'" })
  failedAt!: Date[];

  /** Null: never locked since the last good answer. */
  @Column('timestamptz', { name: 'locked_until', nullable: true })
  lockedUntil!: Date | null;
}
