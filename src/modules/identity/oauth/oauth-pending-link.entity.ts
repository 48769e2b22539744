import { Check, Column, Entity, PrimaryColumn } from 'typeorm';
import type { ProviderName } from './providers/provider.js';

/** A provider's subject that is linked when its sign-in challenge is passed. The row is deleted with the challenge. */
@Entity('oauth_pending_links')
@Check('ck_oauth_pending_links_provider', `provider IN ('google', 'apple')`)
export class OAuthPendingLink {
  /** SHA-256 of the challenge token. */
  @PrimaryColumn('bytea', { name: 'challenge_hash', primaryKeyConstraintName: 'pk_oauth_pending_links' })
  challengeHash!: Buffer;

  @Column('text')
  provider!: ProviderName;

  @Column('text')
  issuer!: string;

  @Column('text')
  subject!: string;

  /**
   * The address that provider and account have verified. The link fails when the account has another address by then.
   */
  @Column('text', { name: 'email_key' })
  emailKey!: string;
}
