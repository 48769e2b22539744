import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../access/index.js';

/** The factors that an account's owner can use as proof. */
export const PROOF_METHODS = ['password', 'totp', 'recovery_code', 'passkey'] as const;
export type ProofMethod = (typeof PROOF_METHODS)[number];

/** A short-lived proof that the user of a session has authenticated again. Only the SHA-256 of the token is stored. */
@Entity('step_up_tokens')
@Check('ck_step_up_tokens_methods', `methods <@ ARRAY['password', 'totp', 'recovery_code', 'passkey']`)
export class StepUpToken {
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'pk_step_up_tokens' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'user_id' })
  userId!: UserId;

  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  /** Every factor that the token proves. A passkey in this list has verified its user. */
  @Column('text', { array: true })
  methods!: ProofMethod[];

  @Index('ix_step_up_tokens_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
