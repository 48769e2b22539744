import type { ExampleBody, Examples } from './example.js';

const API = 'https://api.acme.example';
const ORGANIZATION = '019cadc6-9a80-7af3-8000-000000000001';
const CONNECTION = '019cadc6-9a80-7b38-8000-000000000001';
const SAML_CONNECTION = '019cadc6-9a80-7b38-8000-000000000002';
const DOMAIN = '019cadc6-9a80-7f2f-8000-000000000001';
const TOKEN = '019cadc6-9a80-73c4-8000-000000000001';
const OIDC = `${API}/sso/oidc/${CONNECTION}`;
const SAML = `${API}/sso/saml/${SAML_CONNECTION}`;
const MADE = '2026-03-02T04:10:38.000Z';

const ofOrganization = { organization_id: ORGANIZATION };
const ofConnection = { ...ofOrganization, connection_id: CONNECTION };
const ofDomain = { ...ofOrganization, domain_id: DOMAIN };

function json(value: unknown): ExampleBody {
  return { type: 'application/json', value };
}

/** The settings of a SAML provider, which are null at a connection of OpenID Connect. */
const WITHOUT_SAML = {
  entity_id: null,
  sign_in_url: null,
  certificates: [],
  email_attribute: null,
  groups_attribute: null,
  allows_idp_initiated: false,
};

const oidcSettings = {
  label: 'Acme',
  issuer: 'https://login.example.com',
  client_id: 'operational-event-service',
};
const oidcConnection = {
  id: CONNECTION,
  ...ofOrganization,
  protocol: 'oidc',
  is_enabled: true,
  start_url: `${OIDC}/start`,
  service: {
    redirect_uri: `${OIDC}/callback`,
    backchannel_logout_uri: `${OIDC}/backchannel-logout`,
    acs_url: null,
    entity_id: null,
    metadata_url: null,
  },
  ...oidcSettings,
  has_client_secret: true,
  scopes: null,
  groups_claim: null,
  trusts_email: false,
  ...WITHOUT_SAML,
  created_at: MADE,
  updated_at: MADE,
};

const samlConnection = {
  id: SAML_CONNECTION,
  ...ofOrganization,
  protocol: 'saml',
  label: 'Acme SAML',
  is_enabled: true,
  start_url: `${SAML}/start`,
  service: {
    redirect_uri: null,
    backchannel_logout_uri: null,
    acs_url: `${SAML}/acs`,
    entity_id: `${SAML}/metadata`,
    metadata_url: `${SAML}/metadata`,
  },
  issuer: null,
  client_id: null,
  has_client_secret: false,
  scopes: null,
  groups_claim: null,
  trusts_email: false,
  entity_id: 'https://idp.example.com/metadata',
  sign_in_url: 'https://idp.example.com/sso',
  certificates: [
    {
      pem: '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n',
      fingerprint: Array.from({ length: 4 }, () => '01:23:45:67:89:AB:CD:EF').join(':'),
      valid_until: '2031-03-02T00:00:00.000Z',
    },
  ],
  email_attribute: 'mail',
  groups_attribute: null,
  allows_idp_initiated: false,
  created_at: MADE,
  updated_at: MADE,
};

const openDomain = {
  id: DOMAIN,
  ...ofOrganization,
  domain: 'acme.example',
  record_name: '_operational-event-service.acme.example',
  record_value: 'operational-event-service=Example-record-value-00000000000',
  verified_at: null,
  verified_by: null,
  created_at: MADE,
};
const verifiedDomain = { ...openDomain, verified_at: '2026-03-02T04:25:11.000Z', verified_by: 'dns' };

const roles = json({
  default_role: 'member',
  group_roles: [
    { group: 'On call', role: 'operator' },
    { group: 'Engineering', role: 'admin' },
  ],
});

const scimToken = {
  id: TOKEN,
  name: 'Okta',
  created_at: MADE,
  last_used_at: null,
  expires_at: '2027-03-02T00:00:00.000Z',
};

/** Written by hand, because recordings have only the operations of the public document. */
export const EXAMPLES: Examples = {
  discoverSso: {
    request: json({ email: 'ada@acme.example' }),
    answer: json({ providers: [{ label: 'Acme', protocol: 'oidc', start_url: `/sso/oidc/${CONNECTION}/start` }] }),
  },
  endOidcSessions: {
    parameters: { provider: CONNECTION },
    request: { type: 'application/x-www-form-urlencoded', value: { logout_token: 'header.payload.signature' } },
    answer: json({ message: 'Signed out' }),
  },
  finishOidcSignIn: {
    parameters: {
      provider: CONNECTION,
      code: 'Example-code-0000000000000000000',
      state: 'Example-state-00000000000000000000000000000',
      iss: 'https://login.example.com',
    },
  },
  startOidcSignIn: { parameters: { provider: CONNECTION, return_to: '/console/o/acme' } },
  listSsoConnections: { parameters: ofOrganization, answer: json([oidcConnection]) },
  createSsoConnection: {
    parameters: ofOrganization,
    request: json({
      protocol: 'saml',
      label: 'Acme SAML',
      entity_id: 'https://idp.example.com/metadata',
      sign_in_url: 'https://idp.example.com/sso',
      certificates: ['-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n'],
      email_attribute: 'mail',
    }),
    answer: json(samlConnection),
  },
  getSsoConnection: { parameters: ofConnection, answer: json(oidcConnection) },
  updateSsoConnection: {
    parameters: ofConnection,
    request: json({ scopes: 'openid email', groups_claim: 'roles' }),
    answer: json({
      ...oidcConnection,
      scopes: 'openid email',
      groups_claim: 'roles',
      updated_at: '2026-03-02T04:12:05.000Z',
    }),
  },
  deleteSsoConnection: { parameters: ofConnection },
  listSsoRefusals: {
    parameters: { ...ofOrganization, connection_id: SAML_CONNECTION },
    answer: json([{ at: '2026-03-02T04:31:40.000Z', reason: 'the assertion has expired', ip: '203.0.113.7' }]),
  },
  listSsoDomains: { parameters: ofOrganization, answer: json([verifiedDomain]) },
  addSsoDomain: {
    parameters: ofOrganization,
    request: json({ domain: 'acme.example' }),
    answer: json(openDomain),
  },
  deleteSsoDomain: { parameters: ofDomain },
  approveSsoDomain: { parameters: ofDomain, answer: json({ ...verifiedDomain, verified_by: 'platform' }) },
  verifySsoDomain: { parameters: ofDomain, answer: json(verifiedDomain) },
  getSsoRoles: { parameters: ofOrganization, answer: roles },
  setSsoRoles: { parameters: ofOrganization, request: roles, answer: roles },
  listScimTokens: {
    parameters: ofOrganization,
    answer: json([{ ...scimToken, last_used_at: '2026-03-02T04:12:00.000Z' }]),
  },
  createScimToken: {
    parameters: ofOrganization,
    request: json({ name: 'Okta', expires_at: '2027-03-02T00:00:00Z' }),
    answer: json({ ...scimToken, token: 'oes_scim_EXAMPLE_TOKEN_OF_NOBODY' }),
  },
  deleteScimToken: { parameters: { ...ofOrganization, token_id: TOKEN } },
  listSsoProviders: {
    answer: json({
      providers: [{ name: 'acme', label: 'Acme', icon: null, start_url: '/sso/oidc/acme/start' }],
      by_address: true,
    }),
  },
  getSamlMetadata: {
    parameters: { connection_id: SAML_CONNECTION },
    answer: {
      type: 'application/samlmetadata+xml',
      value: `<?xml version="1.0"?>
<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${SAML}/metadata">
  <SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol" AuthnRequestsSigned="false" WantAssertionsSigned="true">
    <AssertionConsumerService index="1" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${SAML}/acs"/>
  </SPSSODescriptor>
</EntityDescriptor>
`,
    },
  },
  startSamlSignIn: {
    parameters: { connection_id: SAML_CONNECTION, return_to: '/console/o/acme' },
  },
  takeSamlResponse: {
    parameters: { connection_id: SAML_CONNECTION },
    request: {
      type: 'application/x-www-form-urlencoded',
      value: {
        SAMLResponse: 'PHNhbWxwOlJlc3BvbnNlLz4=',
        RelayState: 'Example-relay-state-0000000000000000000000a',
      },
    },
    answer: {
      type: 'text/html',
      value:
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Signing in</title></head>\n<body>…</body>\n</html>\n',
    },
  },
};
