import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { UserId } from '../../../access/index.js';

export type CeremonyPurpose = 'registration' | 'second_factor' | 'passwordless' | 'step_up';

/** A challenge that was sent to a browser. It can be used once: its use deletes the row. */
@Entity('webauthn_challenges')
@Check('ck_webauthn_challenges_session', `(purpose IN ('registration', 'step_up')) = (session_id IS NOT NULL)`)
@Check('ck_webauthn_challenges_purpose', `purpose IN ('registration', 'second_factor', 'passwordless', 'step_up')`)
export class WebAuthnChallenge {
  /** SHA-256 of the challenge as base64url text. */
  @PrimaryColumn('bytea', { name: 'challenge_hash', primaryKeyConstraintName: 'pk_webauthn_challenges' })
  challengeHash!: Buffer;

  @Column('text')
  purpose!: CeremonyPurpose;

  /** Null for passwordless sign-ins, in which the user is not known yet. */
  @Index('ix_webauthn_challenges_user_id', { where: 'user_id IS NOT NULL' })
  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: UserId | null;

  /** The session that requested the challenge. Null when nobody is signed in yet. */
  @Index('ix_webauthn_challenges_session_id', { where: 'session_id IS NOT NULL' })
  @Column('uuid', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  /** SHA-256 of the challenge token that was issued with the challenge. */
  @Column('bytea', { name: 'token_hash' })
  tokenHash!: Buffer;

  @Index('ix_webauthn_challenges_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
