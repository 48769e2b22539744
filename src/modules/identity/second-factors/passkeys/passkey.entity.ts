import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import type { UserId } from '../../../access/index.js';

/** A WebAuthn credential of an account. */
@Entity('passkeys')
@Unique('uq_passkeys_credential_id', ['credentialId'])
@Index('ix_passkeys_user_id', ['userId', 'createdAt'])
export class Passkey {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_passkeys' })
  id!: string;

  @Column('uuid', { name: 'user_id' })
  userId!: UserId;

  @Column('text')
  name!: string;

  @Column('bytea', { name: 'credential_id' })
  credentialId!: Buffer;

  /** COSE key. */
  @Column('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /** Of the newest assertion; 0 for authenticators that do not count. The driver reads it as text. */
  @Column('bigint', { name: 'sign_count' })
  signCount!: string;

  /** Settled at registration; an assertion that says otherwise is refused. */
  @Column('boolean', { name: 'backup_eligible' })
  backupEligible!: boolean;

  /** As of the newest assertion. */
  @Column('boolean', { name: 'backed_up' })
  backedUp!: boolean;

  @Column('text', { array: true })
  transports!: string[];

  /** Whether a proof was shown to add it. One without goes with a password reset: whoever had the password made it. */
  @Column('boolean', { default: false })
  proven!: boolean;

  /**
   * Whether its user was verified at registration or at a use as a second factor, when the owner had shown another factor too. Only
   * then does a verified user mean the owner: whoever finds a security key without a PIN can set one.
   */
  @Column('boolean', { name: 'uv_initialized', default: false })
  uvInitialized!: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Null: not used since its registration. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}
