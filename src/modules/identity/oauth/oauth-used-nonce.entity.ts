import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** SHA-256 of a nonce that a client generated and a login has used. */
@Entity('oauth_used_nonces')
export class OAuthUsedNonce {
  @PrimaryColumn('bytea', { name: 'nonce_hash', primaryKeyConstraintName: 'pk_oauth_used_nonces' })
  nonceHash!: Buffer;

  /**
   * One day after the use. This is far beyond the maximum age of an ID token, so that no token outlives the record of
   * its nonce.
   */
  @Index('ix_oauth_used_nonces_expires_at')
  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}
