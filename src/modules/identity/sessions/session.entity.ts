import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../access/index.js';

export const SIGN_IN_METHODS = ['password', 'oauth', 'passkey'] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** One sign-in of one person; its refresh tokens follow each other in `refresh_tokens`. */
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

  /** Generation of the living refresh token; each rotation adds one. */
  @Column('integer', { default: 0 })
  generation!: number;

  /** Key of the HMAC that makes the next refresh token of the present one: useless without that token, which is not stored. */
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

  /** Moves ahead with each rotation, up to the absolute life of a session. */
  @Index('ix_sessions_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  /** Null while the session lives. */
  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}
