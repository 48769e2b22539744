import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../access/index.js';

export const SIGN_IN_METHODS = ['password', 'oauth', 'passkey'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** One sign-in of one user. `refresh_tokens` holds every refresh token that the session has had. */
@Entity('sessions')
@Check('ck_sessions_method', `method IN ('password', 'oauth', 'passkey')`)
export class Session {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sessions' })
  id!: string;

  @Index('ix_sessions_user_id')
  @Column('uuid', { name: 'user_id' })
  userId!: UserId;

  @Column('text')
  method!: SignInMethod;

  /** Generation of the current refresh token. Each rotation increments the generation by one. */
  @Column('integer', { default: 0 })
  generation!: number;

  /**
   * HMAC key that derives the next refresh token from the current one. The key is useless without the current token,
   * which is not stored.
   */
  @Column('bytea', {
    name: 'refresh_secret',
    select: false,
    default: () => '(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))',
  })
  refreshSecret!: Buffer;

  @Column('text', { nullable: true })
  ip!: string | null;

  @Column('text', { name: 'user_agent', nullable: true })
  userAgent!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_used_at', default: () => 'now()' })
  lastUsedAt!: Date;

  /** Each rotation moves the expiry forward, up to the absolute lifetime of the session. */
  @Index('ix_sessions_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** Null while the session is not revoked. */
  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
