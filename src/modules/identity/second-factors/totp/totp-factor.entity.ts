import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UserId } from '../../../access/index.js';
import { SealedColumn } from '../../../../platform/sealed-columns/index.js';

/** The authenticator app of an account. The app is pending until a first code confirms it. */
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

  /**
   * The 30-second step of the newest accepted code. Codes of this step and of earlier steps are refused. Null until a
   * code is accepted.
   */
  @Column('bigint', { name: 'last_used_step', nullable: true })
  lastUsedStep!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Null until the app is confirmed. Until then the app is no second factor. */
  @Column('timestamptz', { name: 'confirmed_at', nullable: true })
  confirmedAt!: Date | null;
}

export const TOTP_SECRET = new SealedColumn({ table: 'totp_factors', column: 'secret', tenant: 'user_id' });
