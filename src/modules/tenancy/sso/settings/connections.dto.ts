import { X509Certificate } from 'node:crypto';
import {
  BooleanField,
  DateTimeField,
  EnumField,
  ListField,
  NameField,
  nested,
  NestedField,
  text,
  TextField,
  UrlField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { SSO_PROTOCOLS, type SsoConnection, type SsoProtocol } from '../sso-connection.entity.js';
import { MAX_CERTIFICATE_LENGTH, MAX_CERTIFICATES, readCertificate } from './certificates.js';

const MAX_METADATA_LENGTH = 262_144;
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;
/** Names of scopes by RFC 6749, separated by blanks. */
const SCOPES = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const VISIBLE = /^[^\s\p{C}](?:.*[^\s\p{C}])?$/u;

const asksForIdentity = (scopes: string): string | undefined =>
  scopes.split(' ').includes('openid') ? undefined : 'the scopes must have openid';
const problemOfCertificate = (pem: string): string | undefined => {
  const read = readCertificate(pem);
  return 'problem' in read ? read.problem : undefined;
};

const LABEL = 'The name of the provider on the sign-in page';
const ENABLED = 'Whether people can sign in with it';
const ISSUER = 'OpenID Connect: the issuer, below which `/.well-known/openid-configuration` is found';
const CLIENT_ID = 'OpenID Connect: the identifier of this service at the provider';
const SCOPES_TEXT = 'OpenID Connect: the requested scopes. Null: `openid email profile`';
const GROUPS_CLAIM = 'OpenID Connect: the claim with the groups. Null: `groups`';
const TRUSTS_EMAIL =
  'OpenID Connect: whether addresses count as verified although the provider does not send `email_verified`';
const ENTITY_ID = 'SAML: the entity id of the provider';
const SIGN_IN_URL = 'SAML: where requests are sent by the HTTP-Redirect binding';
const EMAIL_ATTRIBUTE = 'SAML: the attribute with the address. Null: its usual names, and then the NameID';
const GROUPS_ATTRIBUTE = 'SAML: the attribute with the groups. Null: its usual names';
const IDP_INITIATED = 'SAML: whether people may begin at the provider, without a request of this service';

/** The members of all connections, and the members that only one protocol has. */
export class ChangeConnectionRequest {
  @NameField({ optional: true, description: LABEL })
  label?: string;

  @BooleanField({ optional: true, description: ENABLED })
  is_enabled?: boolean;

  @UrlField({ optional: true, max: 1_024, example: 'https://login.example.com', description: ISSUER })
  issuer?: string;

  @TextField({ optional: true, min: 1, max: 512, pattern: VISIBLE_ASCII, description: CLIENT_ID })
  client_id?: string;

  @TextField({
    optional: true,
    nullable: true,
    min: 1,
    max: 2_048,
    secret: true,
    description: 'OpenID Connect: the secret of this service at the provider. Encrypted, never answered. Null: none',
  })
  client_secret?: string | null;

  @TextField({
    optional: true,
    nullable: true,
    max: 500,
    pattern: SCOPES,
    check: asksForIdentity,
    description: SCOPES_TEXT,
  })
  scopes?: string | null;

  @TextField({ optional: true, nullable: true, max: 256, pattern: VISIBLE, description: GROUPS_CLAIM })
  groups_claim?: string | null;

  @BooleanField({ optional: true, description: TRUSTS_EMAIL })
  trusts_email?: boolean;

  @TextField({
    optional: true,
    min: 1,
    max: MAX_METADATA_LENGTH,
    secret: true,
    description: 'SAML: the metadata of the provider, in place of `entity_id`, `sign_in_url` and `certificates`',
  })
  metadata_xml?: string;

  @TextField({ optional: true, min: 1, max: 1_024, pattern: VISIBLE, description: ENTITY_ID })
  entity_id?: string;

  @UrlField({ optional: true, max: 2_048, description: SIGN_IN_URL })
  sign_in_url?: string;

  @ListField(text({ min: 1, max: MAX_CERTIFICATE_LENGTH, check: problemOfCertificate }), {
    optional: true,
    min: 1,
    max: MAX_CERTIFICATES,
    // Errors do not repeat an item, because it may be a private key by mistake.
    secret: true,
    description: 'SAML: the certificates in PEM whose keys may sign. Two while the provider changes its key',
  })
  certificates?: string[];

  @TextField({ optional: true, nullable: true, max: 256, pattern: VISIBLE, description: EMAIL_ATTRIBUTE })
  email_attribute?: string | null;

  @TextField({ optional: true, nullable: true, max: 256, pattern: VISIBLE, description: GROUPS_ATTRIBUTE })
  groups_attribute?: string | null;

  @BooleanField({ optional: true, description: IDP_INITIATED })
  allows_idp_initiated?: boolean;
}

export class CreateConnectionRequest extends ChangeConnectionRequest {
  @EnumField(SSO_PROTOCOLS, { description: 'Never changes' })
  protocol!: SsoProtocol;

  @NameField({ description: LABEL })
  declare label: string;
}

class SigningCertificate {
  @TextField({ description: 'The certificate in PEM' })
  pem!: string;

  @TextField({ description: 'The SHA-256 of the certificate, in hexadecimal with colons' })
  fingerprint!: string;

  @DateTimeField({ description: 'Only shown: the key of a certificate that has expired may still sign' })
  valid_until!: string;
}

/** The values that the administrator of the provider must enter there. */
class ServiceSettings {
  @TextField({ nullable: true, description: 'OpenID Connect: the redirect URI. Null: SAML' })
  redirect_uri!: string | null;

  @TextField({
    nullable: true,
    description: 'OpenID Connect: where the provider may report ended sessions (back-channel logout). Null: SAML',
  })
  backchannel_logout_uri!: string | null;

  @TextField({ nullable: true, description: 'SAML: the address for responses (ACS URL). Null: OpenID Connect' })
  acs_url!: string | null;

  @TextField({ nullable: true, description: 'SAML: the entity id of this service. Null: OpenID Connect' })
  entity_id!: string | null;

  @TextField({ nullable: true, description: 'SAML: the address of its metadata. Null: OpenID Connect' })
  metadata_url!: string | null;
}

export class SsoConnectionResponse {
  @UuidField({})
  id!: string;

  @UuidField({ description: 'The organization whose connection it is' })
  organization_id!: string;

  @EnumField(SSO_PROTOCOLS, { description: 'How people sign in' })
  protocol!: SsoProtocol;

  @TextField({ description: LABEL })
  label!: string;

  @BooleanField({ description: ENABLED })
  is_enabled!: boolean;

  @TextField({ description: 'An address that begins a sign-in, for bookmarks and portals' })
  start_url!: string;

  @NestedField(() => ServiceSettings, { description: 'What the provider must know about this service' })
  service!: ServiceSettings;

  @TextField({ nullable: true, description: ISSUER })
  issuer!: string | null;

  @TextField({ nullable: true, description: CLIENT_ID })
  client_id!: string | null;

  @BooleanField({ description: 'OpenID Connect: whether a client secret is stored' })
  has_client_secret!: boolean;

  @TextField({ nullable: true, description: SCOPES_TEXT })
  scopes!: string | null;

  @TextField({ nullable: true, description: GROUPS_CLAIM })
  groups_claim!: string | null;

  @BooleanField({ description: TRUSTS_EMAIL })
  trusts_email!: boolean;

  @TextField({ nullable: true, description: ENTITY_ID })
  entity_id!: string | null;

  @TextField({ nullable: true, description: SIGN_IN_URL })
  sign_in_url!: string | null;

  @ListField(nested(() => SigningCertificate), { description: 'SAML: the certificates whose keys may sign' })
  certificates!: SigningCertificate[];

  @TextField({ nullable: true, description: EMAIL_ATTRIBUTE })
  email_attribute!: string | null;

  @TextField({ nullable: true, description: GROUPS_ATTRIBUTE })
  groups_attribute!: string | null;

  @BooleanField({ description: IDP_INITIATED })
  allows_idp_initiated!: boolean;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({})
  updated_at!: string;
}

export class SsoRefusalResponse {
  @DateTimeField({})
  at!: string;

  @TextField({ description: 'Why the sign-in was refused. The person only sees a general sentence' })
  reason!: string;

  @TextField({ nullable: true, description: 'The client address. Null: unknown' })
  ip!: string | null;
}

/** @param apiBase the base URL of the API, without a trailing slash */
export function ssoConnectionResponse(connection: SsoConnection, apiBase: string): SsoConnectionResponse {
  const { id, protocol } = connection;
  const below = `${apiBase}/sso/${protocol}/${id}`;
  const isSaml = protocol === 'saml';
  return {
    id,
    organization_id: connection.organizationId,
    protocol,
    label: connection.label,
    is_enabled: connection.isEnabled,
    start_url: `${below}/start`,
    service: {
      redirect_uri: isSaml ? null : `${below}/callback`,
      backchannel_logout_uri: isSaml ? null : `${below}/backchannel-logout`,
      acs_url: isSaml ? `${below}/acs` : null,
      entity_id: isSaml ? `${below}/metadata` : null,
      metadata_url: isSaml ? `${below}/metadata` : null,
    },
    issuer: connection.issuer,
    client_id: connection.clientId,
    has_client_secret: connection.clientSecret !== null,
    scopes: connection.scopes,
    groups_claim: connection.groupsClaim,
    trusts_email: connection.trustsEmail,
    entity_id: connection.entityId,
    sign_in_url: connection.signInUrl,
    certificates: (connection.certificates ?? []).map(signingCertificate),
    email_attribute: connection.emailAttribute,
    groups_attribute: connection.groupsAttribute,
    allows_idp_initiated: connection.allowsIdpInitiated,
    created_at: connection.createdAt.toISOString(),
    updated_at: connection.updatedAt.toISOString(),
  };
}

function signingCertificate(pem: string): SigningCertificate {
  const { fingerprint256, validTo } = new X509Certificate(pem);
  return { pem, fingerprint: fingerprint256, valid_until: new Date(validTo).toISOString() };
}
