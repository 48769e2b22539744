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

  /** The public key in COSE encoding. */
  @Column('bytea', { name: 'public_key' })
  publicKey!: Buffer;

  /**
   * Signature counter of the newest assertion. The counter is 0 for authenticators that do not count. The driver reads
   * the column as text.
   */
  @Column('bigint', { name: 'sign_count' })
  signCount!: string;

  /** Set at registration. An assertion with another value is refused. */
  @Column('boolean', { name: 'backup_eligible' })
  backupEligible!: boolean;

  /** Whether the passkey was backed up at the newest assertion. */
  @Column('boolean', { name: 'backed_up' })
  backedUp!: boolean;

  @Column('text', { array: true })
  transports!: string[];

  /**
   * Whether a proof was required to add the passkey. A password reset deletes a passkey without a proof, since anybody
   * who had the password could have added it.
   */
  @Column('boolean', { default: false })
  proven!: boolean;

  /**
   * Whether the user was verified at registration, or at a use as second factor after another factor was shown. Only
   * then does a verified user mean the owner, because a person who finds a security key without a PIN can set a PIN.
   */
  @Column('boolean', { name: 'uv_initialized', default: false })
  uvInitialized!: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** Null until the passkey is used for the first time. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}
