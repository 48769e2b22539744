import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * The values that `authorize` returned, as SHA-256. The login that sends the nonce must match them and deletes the row.
 */
@Entity('oauth_starts')
@Check('ck_oauth_starts_provider', `provider IN ('google', 'apple')`)
export class OAuthStart {
  @PrimaryColumn('bytea', { name: 'nonce_hash', primaryKeyConstraintName: 'pk_oauth_starts' })
  nonceHash!: Buffer;

  @Column('text')
  provider!: string;

  @Column('bytea', { name: 'state_hash' })
  stateHash!: Buffer;

  @Column('bytea', { name: 'verifier_hash' })
  verifierHash!: Buffer;

  @Column('bytea', { name: 'redirect_uri_hash' })
  redirectUriHash!: Buffer;

  @Index('ix_oauth_starts_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
