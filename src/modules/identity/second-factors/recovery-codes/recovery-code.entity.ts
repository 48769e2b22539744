import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../../access/index.js';

/** A recovery code; of 120 random bits, so its SHA-256 is enough. */
@Entity('recovery_codes')
export class RecoveryCode {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'pk_recovery_codes' })
  userId!: UserId;

  @PrimaryColumn('bytea', { name: 'code_hash', primaryKeyConstraintName: 'pk_recovery_codes' })
  codeHash!: Buffer;

  /** False: shown with a pending authenticator setup, good once that is confirmed. */
  @Column('boolean', { name: 'is_active' })
  isActive!: boolean;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;
}
