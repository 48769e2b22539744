import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../access/index.js';

/** What an account's owner can show to prove who they are. */
export const PROOF_METHODS = ['password', 'totp', 'recovery_code', 'passkey'] as const;
export type ProofMethod = (typeof PROOF_METHODS)[number];

/** A short-lived proof that a session's owner has shown factors again; only its SHA-256 is kept. */
@Entity('step_up_tokens')
@Check('ck_step_up_tokens_methods', `methods <@ ARRAY['password', 'totp', 'recovery_code', 'passkey']`)
export class StepUpToken {
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'pk_step_up_tokens' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'user_id' })
  userId!: UserId;

  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  /** All that was shown for it. A passkey here has verified its user. */
  @Column('text', { array: true })
  methods!: ProofMethod[];

  @Index('ix_step_up_tokens_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
