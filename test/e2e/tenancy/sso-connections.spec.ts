import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../support/certificates.js';
import { type Account, api, service, type Tenant, tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { linkedByConnection, linksOfConnection, storedSsoSettings } from '../../support/sql-builders/sso.js';
import { organizationAudit } from '../../support/sql-builders/tenancy.js';

const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
const SECRET = 'a secret that no answer holds';

interface Connection {
  readonly id: string;
  readonly label: string;
  readonly has_client_secret: boolean;
  readonly certificates: readonly { readonly pem: string; readonly fingerprint: string }[];
}

const OIDC = {
  protocol: 'oidc',
  label: 'Company login',
  issuer: 'http://127.0.0.1:9/tenant',
  client_id: 'service',
  client_secret: SECRET,
};
const { cert: CERTIFICATE } = makeCertificate({ names: ['idp.example.com'] });
const { cert: NEXT_CERTIFICATE } = makeCertificate({ names: ['idp.example.com'] });
const SAML = {
  protocol: 'saml',
  label: 'Company SAML',
  entity_id: 'https://idp.example.com/metadata',
  sign_in_url: 'https://idp.example.com/sso',
  certificates: [CERTIFICATE],
};
/** The base64 of a certificate whose RSA key has 1,024 bits. */
const WEAK_CERTIFICATE = [
  'MIIB/DCCAWWgAwIBAgIUFoW5lrsCCPh2UWmssZrJaMpKyVkwDQYJKoZIhvcNAQELBQAwDzENMAsGA1UEAwwEd2VhazAgFw0yNjEx',
  'MjkyMzQwNTRaGA8yMDUxMDcyMTIzNDA1NFowDzENMAsGA1UEAwwEd2VhazCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAvDzW',
  'TV41qWZfriSY3+nqMDwooDEYPkPc/iTnMKt6l9o1II3uoogd3JLWWhHNV9FsGUnYkJ7EHTzHNolHhevL+FCyT6IpWchquJoJMDcY',
  '+dYbvWUVR0fVF6cmKvUSIaDH0Ten86Z3C57B2O7epbHAM8PjwPSQFSoQ6lBIKsJSanMCAwEAAaNTMFEwHQYDVR0OBBYEFF7766dX',
  'wozxCWxbfGGB4cUm8AADMB8GA1UdIwQYMBaAFF7766dXwozxCWxbfGGB4cUm8AADMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcN',
  'AQELBQADgYEAmdbiIhf+KYQO8LYuwjMtU1ZpHX0ueIQKPVAJvQzQlQ4vnJgx+F+ATdJVE3zBFVyIAgBOGa6bj99CYcdM1ZADCly1',
  'oxHkV9mssIxGg+zHR/tzNWFOl7GjwPKtV7LzAUqTQnFHn80YbqYUIRLZkgyefMWOAxtA+MrejV4/JiFSwRE=',
].join('');
const base64Of = (pem: string): string => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '');
const METADATA = `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.com/metadata">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">
        <ds:X509Data><ds:X509Certificate>${base64Of(CERTIFICATE)}</ds:X509Certificate></ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
      Location="https://idp.example.com/sso"/>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>`;

const path = ({ organizationId }: Pick<Tenant, 'organizationId'>, id = '') =>
  `/sso/organizations/${organizationId}/connections${id && `/${id}`}`;
const create = (of: Tenant, body: object, caller: Account = of.owner) => api.as(caller).post(path(of), body);
const created = async (of: Tenant, body: object): Promise<Connection> =>
  (await create(of, body).expect(201)).body as Connection;
const change = (of: Tenant, id: string, body: object, caller: Account = of.owner) =>
  api.as(caller).patch(path(of, id), body);
const get = (of: Tenant, id: string, caller: Account = of.owner) => api.as(caller).get(path(of, id));
const remove = (of: Tenant, id: string, caller: Account = of.owner) => api.as(caller).delete(path(of, id));
const actsOf = async ({ organizationId }: Tenant) =>
  (await organizationAudit(organizationId)).filter(({ target_type }) => target_type === 'sso_connection');

let acme: Tenant;

beforeEach(async () => {
  acme = await tenant();
});

describe('a connection of an organization', () => {
  it('shows what a provider by OpenID Connect must know, and never the secret', async () => {
    const answer = await create(acme, OIDC).expect(201);
    const { id } = answer.body as Connection;
    const below = `${service.url}/sso/oidc/${id}`;
    expect(answer.body).toEqual({
      id,
      organization_id: acme.organizationId,
      protocol: 'oidc',
      label: 'Company login',
      is_enabled: true,
      start_url: `${below}/start`,
      service: {
        redirect_uri: `${below}/callback`,
        backchannel_logout_uri: `${below}/backchannel-logout`,
        acs_url: null,
        entity_id: null,
        metadata_url: null,
      },
      issuer: 'http://127.0.0.1:9/tenant',
      client_id: 'service',
      has_client_secret: true,
      scopes: null,
      groups_claim: null,
      trusts_email: false,
      entity_id: null,
      sign_in_url: null,
      certificates: [],
      email_attribute: null,
      groups_attribute: null,
      allows_idp_initiated: false,
      created_at: TIME,
      updated_at: TIME,
    });
    const changed = await change(acme, id, { scopes: 'openid email', groups_claim: 'roles' }).expect(200);
    expect(changed.body).toMatchObject({ scopes: 'openid email', groups_claim: 'roles', has_client_secret: true });
    const listed = await api.as(acme.owner).get(path(acme)).expect(200);
    expect(listed.body).toEqual([changed.body]);
    const shown = await get(acme, id).expect(200, changed.body as object);
    const removed = await change(acme, id, { client_secret: null, scopes: null }).expect(200);
    expect(removed.body).toMatchObject({ has_client_secret: false, scopes: null });
    for (const { text } of [answer, changed, listed, shown, removed]) expect(text).not.toContain(SECRET);
    expect(await storedSsoSettings(acme.organizationId)).not.toContain(SECRET);
    expect(JSON.stringify(await actsOf(acme))).not.toContain(SECRET);
    expect(await logText()).not.toContain(SECRET);
  });

  it('shows what a provider by SAML must know, and its certificates', async () => {
    const { body } = await create(acme, { ...SAML, allows_idp_initiated: true, email_attribute: 'mail' }).expect(201);
    const { id } = body as Connection;
    const below = `${service.url}/sso/saml/${id}`;
    expect(body).toMatchObject({
      protocol: 'saml',
      start_url: `${below}/start`,
      service: {
        redirect_uri: null,
        backchannel_logout_uri: null,
        acs_url: `${below}/acs`,
        entity_id: `${below}/metadata`,
        metadata_url: `${below}/metadata`,
      },
      issuer: null,
      has_client_secret: false,
      entity_id: SAML.entity_id,
      sign_in_url: SAML.sign_in_url,
      certificates: [
        {
          pem: CERTIFICATE,
          fingerprint: new X509Certificate(CERTIFICATE).fingerprint256,
          valid_until: '2049-12-31T00:00:00.000Z',
        },
      ],
      email_attribute: 'mail',
      groups_attribute: null,
      allows_idp_initiated: true,
    });
    const both = await change(acme, id, {
      certificates: [CERTIFICATE.replaceAll('\n', '\r\n\r\n '), base64Of(NEXT_CERTIFICATE)],
    }).expect(200);
    expect((both.body as Connection).certificates.map(({ pem }) => pem)).toEqual([CERTIFICATE, NEXT_CERTIFICATE]);
  });

  it('takes its settings from the metadata of a provider by SAML', async () => {
    const { protocol, label } = SAML;
    const connection = await created(acme, { protocol, label, metadata_xml: METADATA });
    expect(connection).toMatchObject({ entity_id: SAML.entity_id, sign_in_url: SAML.sign_in_url });
    expect(connection.certificates.map(({ pem }) => pem)).toEqual([CERTIFICATE]);
    const metadata_xml = METADATA.replaceAll(base64Of(CERTIFICATE), base64Of(NEXT_CERTIFICATE));
    const { body } = await change(acme, connection.id, { metadata_xml }).expect(200);
    expect((body as Connection).certificates.map(({ pem }) => pem)).toEqual([NEXT_CERTIFICATE]);
    expect(await actsOf(acme)).toMatchObject([{}, { detail: { changed: ['certificates'] } }]);
    for (const [xml, msg] of [
      ['<a/>', 'The metadata describes no SAML 2.0 identity provider'],
      [`<!DOCTYPE a [<!ENTITY b "c">]>${METADATA}`, expect.stringMatching(/^The metadata /)],
      [METADATA.replace('https://idp.example.com/sso', 'javascript:alert(1)'), expect.stringMatching(/address/)],
    ] as const) {
      const answer = await change(acme, connection.id, { metadata_xml: xml }).expect(422);
      const [issue] = (answer.body as { detail: [{ loc: unknown; msg: string }] }).detail;
      expect(issue.loc).toEqual(['body', 'metadata_xml']);
      expect(issue.msg.replace('Value error, ', '')).toEqual(msg);
    }
  });

  it('is in the audit log with the names of what has changed, and not for a change of nothing', async () => {
    const { id } = await created(acme, OIDC);
    await change(acme, id, { label: 'New name', is_enabled: false, client_secret: 'another' }).expect(200);
    await change(acme, id, { label: 'New name', is_enabled: false, trusts_email: false }).expect(200);
    await change(acme, id, {}).expect(200);
    await remove(acme, id).expect(204);
    await remove(acme, id).expect(404, { detail: 'Connection not found' });
    await get(acme, id).expect(404, { detail: 'Connection not found' });
    await change(acme, id, {}).expect(404, { detail: 'Connection not found' });
    expect(await actsOf(acme)).toMatchObject(
      [
        { action: 'sso_connection.created', detail: { label: 'Company login', protocol: 'oidc' } },
        { action: 'sso_connection.changed', detail: { changed: ['label', 'is_enabled', 'client_secret'] } },
        { action: 'sso_connection.deleted', detail: { label: 'New name', protocol: 'oidc' } },
      ].map((act) => ({ ...act, actor_user_id: acme.owner.id, target_id: id })),
    );
  });

  it('needs what its protocol needs, and takes nothing of the other', async () => {
    const places = async (body: object): Promise<unknown[]> => {
      const answer = await create(acme, body).expect(422);
      return (answer.body as { detail: { loc: string[] }[] }).detail.map(({ loc }) => loc.join('.'));
    };
    expect(await places({ protocol: 'oidc', label: 'A' })).toEqual(['body.issuer', 'body.client_id']);
    expect(await places({ protocol: 'saml', label: 'A' })).toEqual([
      'body.entity_id',
      'body.sign_in_url',
      'body.certificates',
    ]);
    expect(await places({ ...OIDC, entity_id: 'a', certificates: [CERTIFICATE] })).toEqual([
      'body.entity_id',
      'body.certificates',
    ]);
    expect(await places({ ...SAML, issuer: 'https://example.com', client_secret: 'a' })).toEqual([
      'body.issuer',
      'body.client_secret',
    ]);
    expect(await places({ ...SAML, metadata_xml: METADATA })).toEqual([
      'body.entity_id',
      'body.sign_in_url',
      'body.certificates',
    ]);
    expect(await places({ ...OIDC, protocol: 'ldap' })).toEqual(['body.protocol']);
    expect(await places({})).toEqual(expect.arrayContaining(['body.protocol', 'body.label']));
    const { id } = await created(acme, OIDC);
    await change(acme, id, { entity_id: 'a' }).expect(422);
    await change(acme, id, { protocol: 'saml' }).expect(200);
    expect((await get(acme, id)).body).toMatchObject({ protocol: 'oidc' });
  });

  it.each([
    ['ftp://example.com', 'issuer'],
    ['https://user:password@example.com', 'issuer'],
    ['https://example.com/?a=b', 'issuer'],
    ['https://example.com/#a', 'issuer'],
    ['https://EXAMPLE.com', 'issuer'],
    ['https://example.com/a/../b', 'issuer'],
    ['http://10.0.0.1', 'issuer'],
    ['http://169.254.169.254/latest', 'issuer'],
    ['http://[::1]/', 'issuer'],
    ['http://localhost.internal', 'issuer'],
    ['javascript:alert(1)', 'sign_in_url'],
    ['https://user@idp.example.com/sso', 'sign_in_url'],
    ['https://idp.example.com/sso#a', 'sign_in_url'],
    ['/sso', 'sign_in_url'],
  ])('refuses %s as its %s', async (url, member) => {
    const { body } = await create(acme, { ...(member === 'issuer' ? OIDC : SAML), [member]: url }).expect(422);
    expect((body as { detail: { loc: unknown }[] }).detail.map(({ loc }) => loc)).toEqual([['body', member]]);
  });

  it('keeps an issuer as it is written, since issuers are compared exactly', async () => {
    for (const issuer of ['http://127.0.0.1:9', 'http://127.0.0.1:9/', 'http://127.0.0.1:9/a/'])
      expect(await created(acme, { ...OIDC, issuer })).toMatchObject({ issuer });
  });

  it('lets the browser go to a company’s own network, since the service sends nothing there', async () => {
    await created(acme, { ...SAML, sign_in_url: 'https://adfs.corp/adfs/ls' });
  });

  it('refuses scopes without openid, and malformed ones', async () => {
    for (const scopes of ['email', 'openid  email', ' openid', 'openid "email"', 'openid\temail', '', 5])
      await create(acme, { ...OIDC, scopes }).expect(422);
  });

  it('refuses what is no certificate, a private key, a weak key, several in one text, and more than 5', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const [certificate, sentence] of [
      ['hello', 'this is not a certificate in PEM'],
      ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', 'this is not a certificate in PEM'],
      [key, 'this is a private key, not a certificate'],
      [WEAK_CERTIFICATE, 'an RSA key has at least 2048 bits'],
      [CERTIFICATE + NEXT_CERTIFICATE, 'each certificate is an item of the list'],
      ['A'.repeat(16_385), undefined],
    ]) {
      const answer = await create(acme, { ...SAML, certificates: [certificate] }).expect(422);
      if (sentence !== undefined) expect(answer.text).toContain(sentence);
      expect(answer.text).not.toContain(base64Of(key).slice(0, 40));
    }
    await create(acme, { ...SAML, certificates: [] }).expect(422);
    await create(acme, { ...SAML, certificates: Array.from({ length: 6 }, () => CERTIFICATE) }).expect(422);
    await create(acme, { ...SAML, certificates: Array.from({ length: 5 }, () => CERTIFICATE) }).expect(201);
  });

  it('is refused when the organization has 10 connections, also when requests race', async () => {
    for (let count = 0; count < 9; count += 1) await created(acme, OIDC);
    const answers = await Promise.all([create(acme, OIDC), create(acme, SAML), create(acme, OIDC)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    await create(acme, OIDC).expect(409, { detail: 'An organization has at most 10 connections' });
  });

  it('is shown to admins, changed by the owner alone, and unknown to everybody else', async () => {
    const { id } = await created(acme, OIDC);
    const [admin, member, viewer] = [await acme.admin(), await acme.member(), await acme.viewer()];
    await get(acme, id, admin).expect(200);
    for (const caller of [member, viewer]) {
      await get(acme, id, caller).expect(403, { detail: 'Admin role required' });
      await api.as(caller).get(path(acme)).expect(403, { detail: 'Admin role required' });
    }
    for (const caller of [admin, member, viewer]) {
      await create(acme, OIDC, caller).expect(403, { detail: 'Owner role required' });
      await change(acme, id, { label: 'B' }, caller).expect(403, { detail: 'Owner role required' });
      await remove(acme, id, caller).expect(403, { detail: 'Owner role required' });
    }
    const globex = await tenant();
    for (const request of [
      get(acme, id, globex.owner),
      change(acme, id, { label: 'B' }, globex.owner),
      remove(acme, id, globex.owner),
    ])
      await request.expect(403, { detail: 'Not an organization member' });
    await get(globex, id).expect(404, { detail: 'Connection not found' });
    await change(globex, id, { label: 'B' }).expect(404, { detail: 'Connection not found' });
    await remove(globex, id).expect(404, { detail: 'Connection not found' });
    await api.get(path(acme, id)).expect(401);
    await api
      .as(acme.owner)
      .get(path({ organizationId: NOWHERE }))
      .expect(404, { detail: 'Organization not found' });
    await get(acme, id).expect(200);
  });

  it('shows admins why sign-ins were refused, newest first', async () => {
    const { id } = await created(acme, SAML);
    const refusals = (caller: Account, of = acme) => api.as(caller).get(path(of, `${id}/refusals`));
    await refusals(acme.owner).expect(200, []);
    const answer = await fetch(`${service.url}/sso/saml/${id}/acs`, {
      method: 'POST',
      body: new URLSearchParams({ SAMLResponse: 'bm9uZQ==' }),
      redirect: 'manual',
    });
    expect(answer.status).toBe(303);
    const { body } = await refusals(await acme.admin()).expect(200);
    expect(body).toEqual([
      { at: TIME, reason: expect.any(String) as unknown, ip: expect.stringMatching(/127\.0\.0\.1$/) as unknown },
    ]);
    await refusals(await acme.member()).expect(403, { detail: 'Admin role required' });
    const globex = await tenant();
    await refusals(globex.owner).expect(403, { detail: 'Not an organization member' });
    await refusals(globex.owner, globex).expect(404, { detail: 'Connection not found' });
  });

  it('ends the links of its people with another issuer, and when it is deleted', async () => {
    const { id } = await created(acme, OIDC);
    const viewer = await acme.viewer();
    await linkedByConnection(id, viewer.id);
    await change(acme, id, { issuer: OIDC.issuer, client_id: 'other', client_secret: 'b' }).expect(200);
    expect(await linksOfConnection(id)).toBe(1);
    await change(acme, id, { issuer: 'http://127.0.0.1:9/other' }).expect(200);
    expect(await linksOfConnection(id)).toBe(0);
    await linkedByConnection(id, viewer.id);
    await remove(acme, id).expect(204);
    expect(await linksOfConnection(id)).toBe(0);
  });
});

describe('the setting of roles by group', () => {
  const rolesPath = ({ organizationId }: Tenant) => `/sso/organizations/${organizationId}/roles`;
  const set = (body: object, caller: Account = acme.owner) => api.as(caller).put(rolesPath(acme), body);

  it('makes everybody a viewer until it is set, and is replaced as a whole', async () => {
    const read = () => api.as(acme.owner).get(rolesPath(acme));
    await read().expect(200, { default_role: 'viewer', group_roles: [] });
    const roles = {
      default_role: 'member',
      group_roles: [
        { group: 'On call', role: 'operator' },
        { group: ' Leads \u{1f680}', role: 'admin' },
      ],
    };
    await set(roles).expect(200, roles);
    await read().expect(200, roles);
    await set({ default_role: 'viewer', group_roles: [] }).expect(200);
    await read().expect(200, { default_role: 'viewer', group_roles: [] });
    const acts = (await organizationAudit(acme.organizationId)).filter(({ action }) => action === 'sso_roles.changed');
    expect(acts).toMatchObject([
      { actor_user_id: acme.owner.id, detail: roles },
      { detail: { default_role: 'viewer', group_roles: [] } },
    ]);
  });

  it('makes nobody an owner, and names a group once', async () => {
    const group = (name: unknown, role: unknown = 'viewer') => ({ group: name, role });
    for (const body of [
      { default_role: 'owner', group_roles: [] },
      { default_role: 'viewer' },
      { default_role: 'viewer', group_roles: {} },
      { default_role: 'viewer', group_roles: [group('a', 'owner')] },
      { default_role: 'viewer', group_roles: [group('')] },
      { default_role: 'viewer', group_roles: [group('a'.repeat(257))] },
      { default_role: 'viewer', group_roles: [group('a\0')] },
      { default_role: 'viewer', group_roles: [group('a'), group('a', 'admin')] },
      { default_role: 'viewer', group_roles: Array.from({ length: 201 }, (_, index) => group(`group ${index}`)) },
    ])
      await set(body).expect(422);
    const most = Array.from({ length: 200 }, (_, index) => group(`${index}`.padEnd(256, 'x')));
    await set({ default_role: 'viewer', group_roles: most }).expect(200);
  });

  it('is shown to admins and set by the owner alone', async () => {
    const [admin, viewer] = [await acme.admin(), await acme.viewer()];
    await api.as(admin).get(rolesPath(acme)).expect(200);
    await api.as(viewer).get(rolesPath(acme)).expect(403, { detail: 'Admin role required' });
    const body = { default_role: 'admin', group_roles: [] };
    for (const caller of [admin, viewer]) await set(body, caller).expect(403, { detail: 'Owner role required' });
    const globex = await tenant();
    await set(body, globex.owner).expect(403, { detail: 'Not an organization member' });
    await api.as(globex.owner).get(rolesPath(acme)).expect(403, { detail: 'Not an organization member' });
  });
});
