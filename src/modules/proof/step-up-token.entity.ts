import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A short-lived proof that a session's owner has shown a factor again; only its SHA-256 is kept. */
@Entity('step_up_tokens')
export class StepUpToken {
  @PrimaryColumn('bytea', { name: 'token_hash', primaryKeyConstraintName: 'pk_step_up_tokens' })
  tokenHash!: Buffer;

  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  /** Earned by a passkey that verified its user: it stands for the password and the second factor. */
  @Column('boolean', { name: 'proves_both_factors', default: false })
  provesBothFactors!: boolean;

  @Index('ix_step_up_tokens_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
