import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A sign-in that was started and is at the provider. The row is deleted when the browser returns. */
@Entity('sso_starts')
export class SsoStart {
  @PrimaryColumn('bytea', { name: 'state_hash', primaryKeyConstraintName: 'pk_sso_starts' })
  stateHash!: Buffer;

  /** SHA-256 of the secret in the browser's cookie. */
  @Column('bytea', { name: 'browser_hash' })
  browserHash!: Buffer;

  /** The id of a connection, or the name of a configured provider. */
  @Column('text')
  provider!: string;

  /** The id of the SAML request. Null for OpenID Connect. */
  @Column('text', { name: 'request_id', nullable: true })
  requestId!: string | null;

  @Column('text', { name: 'return_to', nullable: true })
  returnTo!: string | null;

  @Index('ix_sso_starts_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
