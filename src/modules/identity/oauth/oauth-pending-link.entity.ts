import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId } from '../../access/index.js';

/** A provider's subject that is linked when its sign-in challenge is passed. The row is deleted with the challenge. */
@Entity('oauth_pending_links')
@Check('ck_oauth_pending_links_role', `role IN ('viewer', 'member', 'operator', 'admin')`)
export class OAuthPendingLink {
  /** SHA-256 of the challenge token. */
  @PrimaryColumn('bytea', { name: 'challenge_hash', primaryKeyConstraintName: 'pk_oauth_pending_links' })
  challengeHash!: Buffer;

  @Column('text')
  provider!: string;

  @Column('text')
  issuer!: string;

  @Column('text')
  subject!: string;

  /**
   * The address that both the provider and the account have verified. The link fails when the address of the account
   * has changed before the challenge is passed.
   */
  @Column('text', { name: 'email_key' })
  emailKey!: string;

  /** The id of a connection, or the name of a provider by configuration. Null when the provider is Google or Apple. */
  @Column('text', { name: 'sso_provider', nullable: true })
  ssoProvider!: string | null;

  /** The provider's own name for its session. Null when the provider sends no such name. */
  @Column('text', { name: 'provider_session', nullable: true })
  providerSession!: string | null;

  /** The organization that the account joins with the link. Null when the provider brings no membership. */
  @Index('ix_oauth_pending_links_organization_id')
  @Column('uuid', { name: 'organization_id', nullable: true })
  organizationId!: OrganizationId | null;

  @Column('text', { nullable: true })
  role!: 'viewer' | 'member' | 'operator' | 'admin' | null;
}
