import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../../access/index.js';
import type { SignInMethod } from '../../sessions/index.js';

/**
 * A sign-in that waits for its second factor. The row is deleted when the challenge is answered, has no attempts left,
 * or the account is locked.
 */
@Entity('sign_in_challenges')
@Check('ck_sign_in_challenges_method', `method IN ('password', 'oauth', 'passkey')`)
export class SignInChallenge {
  /** SHA-256 of the challenge token. */
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'pk_sign_in_challenges' })
  tokenHash!: Buffer;

  @Index('ix_sign_in_challenges_user_id')
  @Column('uuid', { name: 'user_id' })
  userId!: UserId;

  /** The first factor. The session gets the same value as its `method`. */
  @Column('text')
  method!: SignInMethod;

  /**
   * SHA-256 of the stored hash that the password was compared with, so that a password change ends the challenge. Null
   * when the first factor was not a password.
   */
  @Column('bytea', { name: 'compared_hash_digest', nullable: true })
  comparedHashDigest!: Buffer | null;

  @Column('smallint', { name: 'attempts_left' })
  attemptsLeft!: number;

  @Index('ix_sign_in_challenges_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
