import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { OrganizationId } from '../../access/index.js';
import { SealedColumn } from '../../../platform/sealed-columns/index.js';

export const SSO_PROTOCOLS = ['oidc', 'saml'] as const;
export type SsoProtocol = (typeof SSO_PROTOCOLS)[number];

/** An identity provider that an organization has connected. The columns of the other protocol are null. */
@Entity('sso_connections')
@Index('ix_sso_connections_client_secret_key', { synchronize: false })
@Check('ck_sso_connections_protocol', `protocol IN ('oidc', 'saml')`)
export class SsoConnection {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'pk_sso_connections' })
  id!: string;

  @Index('ix_sso_connections_organization_id')
  @Column('uuid', { name: 'organization_id' })
  organizationId!: OrganizationId;

  @Column('text')
  protocol!: SsoProtocol;

  @Column('text')
  label!: string;

  @Column('boolean', { name: 'is_enabled', default: true })
  isEnabled!: boolean;

  @Column('text', { nullable: true })
  issuer!: string | null;

  @Column('text', { name: 'client_id', nullable: true })
  clientId!: string | null;

  /** The client secret, encrypted by `CredentialCipher` (see {@link CLIENT_SECRET}). */
  @Column('text', { name: 'client_secret', nullable: true })
  clientSecret!: string | null;

  /** The requested scopes, separated by blanks. Null: `openid email profile`. */
  @Column('text', { nullable: true })
  scopes!: string | null;

  /** The claim that contains the groups of the person. Null: `groups`. */
  @Column('text', { name: 'groups_claim', nullable: true })
  groupsClaim!: string | null;

  /** Whether an address counts as verified when the provider sends no `email_verified`. */
  @Column('boolean', { name: 'trusts_email', default: false })
  trustsEmail!: boolean;

  /** The SAML entity id of the provider. */
  @Column('text', { name: 'entity_id', nullable: true })
  entityId!: string | null;

  @Column('text', { name: 'sign_in_url', nullable: true })
  signInUrl!: string | null;

  /** The PEM certificates of the accepted signing keys. There are two while the provider rotates its key. */
  @Column('text', { array: true, nullable: true })
  certificates!: string[] | null;

  /** The attribute with the e-mail address. Null: the usual names, and then the NameID if it is an address. */
  @Column('text', { name: 'email_attribute', nullable: true })
  emailAttribute!: string | null;

  @Column('text', { name: 'groups_attribute', nullable: true })
  groupsAttribute!: string | null;

  @Column('boolean', { name: 'allows_idp_initiated', default: false })
  allowsIdpInitiated!: boolean;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

export const CLIENT_SECRET = new SealedColumn({
  table: 'sso_connections',
  column: 'client_secret',
  tenant: 'organization_id',
});
