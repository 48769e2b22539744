import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A nonce of a client's own making that a login has used, as SHA-256. */
@Entity('oauth_used_nonces')
export class OAuthUsedNonce {
  @PrimaryColumn('bytea', { name: 'nonce_hash', primaryKeyConstraintName: 'pk_oauth_used_nonces' })
  nonceHash!: Buffer;

  /** Far beyond the age an ID token may have, so that no token outlives the memory of its nonce. */
  @Index('ix_oauth_used_nonces_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
