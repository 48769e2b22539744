import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../../access/index.js';

/** A recovery code. A code has 120 random bits, so SHA-256 is enough as its hash. */
@Entity('recovery_codes')
export class RecoveryCode {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_recovery_codes' })
  userId!: UserId;

  @PrimaryColumn('bytea', { name: 'code_hash', primaryKeyConstraintName: 'pk_recovery_codes' })
  codeHash!: Buffer;

  /**
   * False while the code belongs to a pending setup of an authenticator app. The code becomes valid when that setup is
   * confirmed.
   */
  @Column('boolean', { name: 'is_active' })
  isActive!: boolean;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;
}
