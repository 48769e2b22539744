import { Check, Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UserId } from '../../access/index.js';

export type UserTokenPurpose = 'verify_email' | 'reset_password' | 'change_email';

/** A mailed single-use token. Only its SHA-256 is stored. */
@Entity('user_tokens')
@Unique('uq_user_tokens_token_hash', ['tokenHash'])
@Index('ix_user_tokens_user_id_purpose', ['userId', 'purpose'])
@Index('ix_user_tokens_stranger_hash', ['strangerHash', 'purpose'], { where: 'stranger_hash IS NOT NULL' })
@Check('ck_user_tokens_stranger', `(user_id IS NULL) = (stranger_hash IS NOT NULL)`)
@Check('ck_user_tokens_purpose', `purpose IN ('verify_email', 'reset_password', 'change_email')`)
@Check('ck_user_tokens_email', `(purpose = 'change_email') = (email IS NOT NULL)`)
export class UserToken {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_user_tokens' })
  id!: string;

  /** Null when the address has no account. The row is written so that the request costs the same. */
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: UserId | null;

  /** Set when the address has no account: a SHA-256 of the address, so that the address itself is not stored. */
  @Column('bytea', { name: 'stranger_hash', nullable: true })
  strangerHash!: Buffer | null;

  @Column('text')
  purpose!: UserTokenPurpose;

  /** The new address of an address change. Null for the other purposes. */
  @Column('text', { nullable: true })
  email!: string | null;

  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Index('ix_user_tokens_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;
}
