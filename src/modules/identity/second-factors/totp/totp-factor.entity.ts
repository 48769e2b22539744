import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UserId } from '../../../access/index.js';
import { SealedColumn } from '../../../../platform/sealed-columns/index.js';

/** The authenticator app of an account: pending until a first code confirms it. */
@Entity('totp_factors')
@Unique('uq_totp_factors_user_id', ['userId'])
@Index('ix_totp_factors_secret_key', { synchronize: false })
export class TotpFactor {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_totp_factors' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: UserId;

  /** The base32 secret, encrypted for this row and account. */
  @Column('text')
  secret!: string;

  /** The 30-second step of the newest accepted code; codes of it and of earlier steps are refused. Null: none yet. */
  @Column('bigint', { name: 'last_used_step', nullable: true })
  lastUsedStep!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Null: set up but not confirmed, so no second factor yet. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt!: Date | null;
}

export const TOTP_SECRET = new SealedColumn({ table: 'totp_factors', column: 'secret', tenant: 'user_id' });
