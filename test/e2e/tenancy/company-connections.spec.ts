import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { eventually } from '../../support/eventually.js';
import { type Answer, HostileProvider, json, signingKey } from '../../support/hostile-provider.js';
import { guardedByTotp, totpCode } from '../../support/second-factors-api.js';
import { api, service, tenant, type Tenant } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import { accountsWithAddress, setAddress } from '../../support/sql-builders/sign-in.js';
import {
  addConnection,
  addDomain,
  changeConnection,
  refusalsOf,
  removeDomain,
  roleIn,
  setGroupRoles,
  storedIdTokens,
} from '../../support/sql-builders/sso.js';
import { PlainBrowser } from '../../support/sso-api.js';
import { failNextCommit } from '../../support/test-control.js';

type Claims = Record<string, unknown>;
/** Returns an ID token for the nonce of a sign-in. */
type Forge = (nonce: string, provider: HostileProvider) => Promise<string> | string;

const NOW = Math.floor(Date.now() / 1000);
const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';
const refused = (code: string) => `/console/login?error=${code}`;
const REFUSED = refused('sso_failed');
const pathOf = ({ pathname, search, hash }: URL) => pathname + search + hash;
const claiming =
  (changes: Claims): Forge =>
  (nonce, provider) =>
    provider.sign(provider.claims(nonce, changes));

let provider: HostileProvider;
let company: Tenant;
/** The connection of the company, and a domain that the company has verified. */
let connection: string;
let domain: string;

const newDomain = () => `d${randomBytes(6).toString('hex')}.example`;
const addressAt = (of: string) => `ada-${randomBytes(5).toString('hex')}@${of}`;

beforeAll(async () => {
  provider = await HostileProvider.start();
  company = await tenant();
  domain = newDomain();
  const { organizationId } = company;
  connection = await addConnection(organizationId, { issuer: provider.origin, clientId: provider.clientId });
  await addDomain(organizationId, domain);
  await setGroupRoles(organizationId, {
    defaultRole: 'member',
    groups: [
      { group: 'Platform', role: 'operator' },
      { group: 'Platform owners', role: 'admin' },
    ],
  });
});
beforeEach(() => provider.reset());
afterAll(() => provider.close());

/** Signs somebody in by a connection whose provider answers this ID token. */
async function signIn(forge: Forge, id = connection, browser = new PlainBrowser(), at = provider): Promise<string> {
  const { searchParams } = await browser.start(id);
  at.answer(await forge(searchParams.get('nonce') ?? '', at));
  const query = new URLSearchParams({ code: 'any', state: searchParams.get('state') ?? '' });
  return pathOf((await browser.go(`/sso/oidc/${id}/callback?${query.toString()}`)).location);
}

describe('a sign-in by the connection of an organization', () => {
  it('makes an account in the organization, with the role of the groups', async () => {
    for (const [groups, role] of [
      [['Platform', 'Platform owners', 7], 'admin'],
      ['Platform', 'operator'],
      [undefined, 'member'],
    ] as const) {
      const email = addressAt(domain);
      expect(await signIn(claiming({ email, groups }))).toBe('/console');
      expect(await roleIn(company.organizationId, email)).toBe(role);
    }
  });

  it('is found by the verified domain of the address', async () => {
    const { organizationId } = await tenant();
    const [own, foreign, unverified] = [newDomain(), newDomain(), newDomain()];
    await addDomain(organizationId, own);
    await addDomain(organizationId, unverified, false);
    const id = await addConnection(organizationId, { issuer: provider.origin, clientId: provider.clientId });
    const discover = async (email: string) => (await api.post('/sso/discover', { email }).expect(200)).body as object;
    const start_url = `/sso/oidc/${id}/start`;
    const found = { providers: [{ label: 'Company', protocol: 'oidc', start_url }] };
    expect(await discover(`nobody@${own.toUpperCase()}`)).toEqual(found);
    for (const other of [foreign, unverified, `sub.${own}`])
      expect(await discover(`ada@${other}`)).toEqual({ providers: [] });
  });

  it('takes the person of the address in any letter case and form of the domain', async () => {
    const unicode = `bücher-${randomBytes(4).toString('hex')}.example`;
    await addDomain(company.organizationId, new URL(`http://${unicode}`).hostname);
    for (const email of [addressAt(domain.toUpperCase()), addressAt(unicode), addressAt(unicode.toUpperCase())])
      expect(await signIn(claiming({ email }))).toBe('/console');
  });

  it.each([
    ['an address of a foreign domain', () => addressAt('example.com')],
    ['an address of a subdomain', () => addressAt(`sub.${domain}`)],
    ['an address with two signs', () => `ada@${domain}@example.com`],
  ])('is refused for %s', async (_, address) => {
    const email = address();
    expect(await signIn(claiming({ email }))).not.toBe('/console');
    expect(await accountsWithAddress(email)).toEqual([]);
  });

  it('does not open the account of somebody of another domain', async () => {
    const victim = await company.member();
    expect(await signIn(claiming({ email: victim.email }))).toBe(refused('sso_domain'));
    expect((await refusalsOf(connection))[0]).toContain('may not vouch for addresses of this domain');
  });

  it('is refused later when the account has an address of another domain by then', async () => {
    const [email, sub] = [addressAt(domain), randomBytes(8).toString('hex')];
    await signIn(claiming({ email, sub }));
    const [id = ''] = await accountsWithAddress(email);
    const other = addressAt('example.com');
    await setAddress(id, other, other);
    expect(await signIn(claiming({ email, sub }))).toBe(refused('sso_domain'));
  });

  it('never opens what another organization has linked, although issuer and subject are the same', async () => {
    const [email, sub] = [addressAt(domain), randomBytes(8).toString('hex')];
    await signIn(claiming({ email, sub }));
    const stranger = await tenant();
    const theirs = newDomain();
    await addDomain(stranger.organizationId, theirs);
    const options = { issuer: provider.origin, clientId: provider.clientId };
    const other = await addConnection(stranger.organizationId, options);
    expect(await signIn(claiming({ email, sub }), other)).toBe(refused('sso_domain'));
    expect(await signIn(claiming({ email: addressAt(theirs), sub }), other)).toBe('/console');
    expect(await roleIn(stranger.organizationId, email)).toBeNull();
  });

  it('does not make a membership again that people made and ended', async () => {
    const member = await company.member();
    const email = addressAt(domain);
    await setAddress(member.id, email, email);
    await api.as(company.owner).delete(`/v1/organizations/${company.organizationId}/members/${member.id}`).expect(200);
    expect(await signIn(claiming({ email, sub: randomBytes(8).toString('hex') }))).toBe('/console');
    expect(await roleIn(company.organizationId, email)).toBeNull();
  });

  it('is not possible before the organization has verified a domain', async () => {
    const { organizationId } = await tenant();
    const id = await addConnection(organizationId, { issuer: provider.origin, clientId: provider.clientId });
    await addDomain(organizationId, newDomain(), false);
    const { location } = await new PlainBrowser().go(`/sso/oidc/${id}/start`);
    expect(pathOf(location)).toBe(refused('sso_domain'));
    expect(await refusalsOf(id)).toEqual(['the organization has verified no domain']);
  });

  it('is not possible while the connection is switched off', async () => {
    const id = await addConnection(company.organizationId, { issuer: provider.origin, clientId: provider.clientId });
    await changeConnection(id, { isEnabled: false });
    const { location } = await new PlainBrowser().go(`/sso/oidc/${id}/start`);
    expect(pathOf(location)).toBe(refused('sso_unknown_provider'));
  });

  it('uses a changed issuer at once', async () => {
    const id = await addConnection(company.organizationId, { issuer: provider.origin, clientId: provider.clientId });
    expect((await new PlainBrowser().start(id)).origin).toBe(provider.origin);
    await changeConnection(id, { issuer: service.sso.acme.issuer });
    expect((await new PlainBrowser().start(id)).origin).toBe(service.sso.acme.issuer);
  });

  it.each(['http://10.255.255.1', 'http://169.254.169.254/latest', 'http://0.0.0.0', 'http://[::1]:1'])(
    'does not send a request to %s, which is not public',
    async (issuer) => {
      const id = await addConnection(company.organizationId, { issuer, clientId: 'x' });
      const { location } = await new PlainBrowser().go(`/sso/oidc/${id}/start`);
      expect(pathOf(location)).toBe(refused('sso_provider_unreachable'));
      expect((await refusalsOf(id))[0]).toBe('OpenID configuration: Destination is not allowed');
    },
  );

  it.each<[string, Answer, string]>([
    ['fails', json({}, 500), 'answered 500'],
    ['redirects', (response) => void response.writeHead(302, { Location: '/x' }).end(), 'answered 302'],
    ['hangs up', (response) => void response.destroy(), 'Connection was closed'],
    ['is too large', (response) => void response.end(' '.repeat(300_000)), 'larger than 262144 bytes'],
    [
      'is that of another issuer',
      (response) => void json({ issuer: 'https://x.example' })(response, new URLSearchParams()),
      'another issuer',
    ],
  ])('is refused when the configuration of the provider %s', async (_, answer, reason) => {
    const id = await addConnection(company.organizationId, { issuer: provider.origin, clientId: 'x' });
    provider.discovery = answer;
    const { location } = await new PlainBrowser().go(`/sso/oidc/${id}/start`);
    expect(pathOf(location)).toBe(refused('sso_provider_unreachable'));
    expect((await refusalsOf(id))[0]).toContain(reason);
  });

  it.each<['by HTTP Basic' | 'in the form', string, readonly string[] | undefined]>([
    ['by HTTP Basic', 'nothing', undefined],
    ['by HTTP Basic', 'both ways', ['client_secret_post', 'client_secret_basic']],
    ['by HTTP Basic', 'neither way', ['private_key_jwt']],
    ['in the form', 'only the form', ['private_key_jwt', 'client_secret_post']],
  ])('sends the client secret %s to a provider that announces %s', async (way, _, methods) => {
    const [client_id, client_secret] = ['id:of+client%', 'a secret: 100 % safe + schön'];
    const settings = { protocol: 'oidc', label: 'Company', issuer: provider.origin, client_id, client_secret };
    const { owner, organizationId } = await tenant();
    const path = `/sso/organizations/${organizationId}/connections`;
    const { id } = (await api.as(owner).post(path, settings).expect(201)).body as { id: string };
    const own = newDomain();
    await addDomain(organizationId, own);
    provider.discovery = json({ ...provider.metadata, token_endpoint_auth_methods_supported: methods });
    expect(await signIn(claiming({ aud: client_id, email: addressAt(own) }), id)).toBe('/console');
    const { authorization, form = new URLSearchParams() } = provider.redeemed ?? {};
    const inForm = [form.get('client_id'), form.get('client_secret')];
    if (way === 'in the form') {
      expect([authorization, ...inForm]).toEqual([undefined, client_id, client_secret]);
    } else {
      const encoded = 'id%3Aof%2Bclient%25:a+secret%3A+100+%25+safe+%2B+sch%C3%B6n';
      expect([authorization, ...inForm]).toEqual([`Basic ${Buffer.from(encoded).toString('base64')}`, null, null]);
    }
  });

  it('shows the owner every refusal of a connection, whatever the spelling of its id', async () => {
    const { organizationId } = await tenant();
    const id = await addConnection(organizationId, { issuer: provider.origin, clientId: provider.clientId });
    for (const spelling of [id.toUpperCase(), id.replaceAll('-', '')])
      await new PlainBrowser().go(`/sso/oidc/${spelling}/start`);
    await new PlainBrowser().go(`/sso/oidc/${id.toUpperCase()}/callback?code=x&state=${'x'.repeat(43)}`);
    await api.post(`/sso/oidc/${id.toUpperCase()}/backchannel-logout`).type('form').send({ logout_token: 'x' });
    expect(await refusalsOf(id)).toHaveLength(4);
  });

  it('is refused when the token endpoint of the provider fails', async () => {
    const browser = new PlainBrowser();
    const { searchParams } = await browser.start(connection);
    provider.token = (response) => void response.destroy();
    const query = `code=x&state=${searchParams.get('state') ?? ''}`;
    const { location } = await browser.go(`/sso/oidc/${connection}/callback?${query}`);
    expect(pathOf(location)).toBe(refused('sso_provider_unreachable'));
  });
});

describe('an ID token of a connection', () => {
  it.each<[string, Forge, string]>([
    [
      'is signed by another key under the same id',
      (nonce) => provider.sign(provider.claims(nonce), signingKey(provider.key.kid)),
      'signature',
    ],
    ['has no signature', (nonce) => new UnsecuredJWT(provider.claims(nonce)).encode(), 'alg'],
    [
      'is signed by HS256 with the public key',
      (nonce) => {
        const { kid, publicKey } = provider.key;
        const secret = createSecretKey(Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }).toString()));
        return new SignJWT(provider.claims(nonce)).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
      },
      'alg',
    ],
    [
      'is signed by HS256 with the client identifier',
      (nonce) =>
        new SignJWT(provider.claims(nonce))
          .setProtectedHeader({ alg: 'HS256' })
          .sign(createSecretKey(Buffer.from(provider.clientId.padEnd(32, 'x')))),
      'alg',
    ],
    ['names another issuer', claiming({ iss: 'https://accounts.example.com' }), '"iss"'],
    ['is for another audience', claiming({ aud: 'another-client' }), '"aud"'],
    ['is for several audiences', claiming({ aud: ['hostile-client', 'x'] }), 'another party'],
    ['has another nonce', claiming({ nonce: 'another' }), 'nonce'],
    ['has no nonce', claiming({ nonce: undefined }), 'nonce'],
    ['has expired', claiming({ iat: NOW - 300, exp: NOW - 60 }), '"exp"'],
    ['is issued in the future', claiming({ iat: NOW + 3_600, exp: NOW + 7_200 }), '"iat"'],
    ['was issued long ago', claiming({ iat: NOW - 3_600, exp: NOW + 3_600 }), '"iat"'],
    ['has no subject', claiming({ sub: undefined }), '"sub"'],
    ['has a subject of control characters', claiming({ sub: 'a\nb' }), 'subject'],
    ['lists 10,001 groups', claiming({ groups: Array.from({ length: 10_001 }, (_, n) => `g${n}`) }), '10000 groups'],
    ['is none', () => 'x.y.z', 'ID token'],
  ])('is refused with a security event when it %s', async (_, forge, reason) => {
    const email = addressAt(domain);
    const forged: Forge = async (nonce) => {
      const claims = provider.claims.bind(provider);
      provider.claims = (n, changes) => claims(n, { email, ...changes });
      try {
        return await forge(nonce, provider);
      } finally {
        provider.claims = claims;
      }
    };
    expect(await signIn(forged)).toBe(refused('sso_failed'));
    expect((await refusalsOf(connection))[0]).toContain(reason);
    expect(await accountsWithAddress(email)).toEqual([]);
  });

  it('is accepted when the clocks differ a little', async () => {
    const now = Math.floor(Date.now() / 1000);
    expect(await signIn(claiming({ email: addressAt(domain), iat: now + 20, exp: now + 300 }))).toBe('/console');
    expect(await signIn(claiming({ email: addressAt(domain), iat: now - 300, exp: now - 5 }))).toBe('/console');
  });

  it('may list 10,000 groups, of which long ones are ignored', async () => {
    const email = addressAt(domain);
    const groups = [
      'x'.repeat(2_000),
      ...Array.from({ length: 9_998 }, (_, n) => `group-of-the-company-${n}`),
      'Platform',
    ];
    expect(await signIn(claiming({ email, groups }))).toBe('/console');
    expect(await roleIn(company.organizationId, email)).toBe('operator');
  });

  it('is completed by the userinfo endpoint, whose answer must be about the same subject', async () => {
    provider.discovery = json({ ...provider.metadata, userinfo_endpoint: `${provider.origin}/userinfo` });
    const id = await addConnection(company.organizationId, { issuer: provider.origin, clientId: provider.clientId });
    const [email, sub] = [addressAt(domain), randomBytes(8).toString('hex')];
    const thin = claiming({ sub, email: undefined, email_verified: undefined });
    provider.userinfo = json({ sub: 'somebody', email, email_verified: true });
    expect(await signIn(thin, id)).toBe(refused('sso_failed'));
    expect((await refusalsOf(id))[0]).toBe('userinfo endpoint: answered for another subject');
    provider.userinfo = json({ sub, email, email_verified: true, groups: ['Platform'] });
    expect(await signIn(thin, id)).toBe('/console');
    expect(await roleIn(company.organizationId, email)).toBe('operator');
  });

  it('is refused when it leaves the groups out, but only while a group has a role', async () => {
    const left = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } };
    expect(await signIn(claiming({ email: addressAt(domain), ...left }))).toBe(REFUSED);
    expect((await refusalsOf(connection))[0]).toBe(
      'ID token refused (it leaves the groups out, because there are too many)',
    );
    const other = { ...left, _claim_names: { photo: 'src1' } };
    expect(await signIn(claiming({ email: addressAt(domain), ...other }))).toBe('/console');
    const { organizationId } = await tenant();
    const own = newDomain();
    await addDomain(organizationId, own);
    const id = await addConnection(organizationId, { issuer: provider.origin, clientId: provider.clientId });
    expect(await signIn(claiming({ email: addressAt(own), ...left }), id)).toBe('/console');
  });

  describe('without some claims, while the userinfo endpoint fails', () => {
    it.each<[string, boolean, Claims, string, boolean]>([
      ['accepted without groups when no group has a role', false, { name: 'Ada' }, '/console', false],
      ['accepted without a name', false, {}, '/console', true],
      ['refused without groups when a group has a role', true, { name: 'Ada' }, REFUSED, true],
      ['refused without an address', false, { email: undefined, name: 'Ada' }, REFUSED, true],
      ['refused without email_verified', false, { email_verified: undefined, name: 'Ada' }, REFUSED, true],
    ])('lets the sign-in be %s', async (_, hasGroupRole, claims, end, isAsked) => {
      const { organizationId } = await tenant();
      const own = newDomain();
      await addDomain(organizationId, own);
      if (hasGroupRole) {
        await setGroupRoles(organizationId, { defaultRole: 'viewer', groups: [{ group: 'Ops', role: 'operator' }] });
      }
      provider.discovery = json({ ...provider.metadata, userinfo_endpoint: `${provider.origin}/userinfo` });
      provider.userinfo = json({}, 503);
      const id = await addConnection(organizationId, { issuer: provider.origin, clientId: provider.clientId });
      const before = provider.requested.length;
      expect(await signIn(claiming({ email: addressAt(own), ...claims }), id)).toBe(end);
      expect(provider.requested.slice(before).includes('/userinfo')).toBe(isAsked);
      const reasons = end === REFUSED ? ['userinfo endpoint: answered 503 without claims'] : [];
      expect(await refusalsOf(id)).toEqual(reasons);
    });
  });
});

describe('a second factor that a sign-in waits for', () => {
  it.each<[string, () => Promise<void>]>([
    ['the connection was switched off', () => changeConnection(waiting, { isEnabled: false })],
    ['the organization lost the domain', () => removeDomain(lost)],
  ])('makes no link after %s', async (_, end) => {
    const { organizationId } = await tenant();
    lost = newDomain();
    await addDomain(organizationId, lost);
    waiting = await addConnection(organizationId, { issuer: provider.origin, clientId: provider.clientId });
    const user = await guardedByTotp();
    const [email, sub] = [addressAt(lost), randomBytes(8).toString('hex')];
    await setAddress(user.id, email, email);
    const challenge = new URLSearchParams((await signIn(claiming({ email, sub }), waiting)).split('#')[1]);
    await end();
    const body = { challenge_token: challenge.get('challenge_token'), code: totpCode(user.secret) };
    await api.post('/v1/auth/mfa/totp/verify', body).expect(401, { detail: 'Invalid or expired challenge' });
    expect(await roleIn(organizationId, email)).toBeNull();
  });

  it('does not let the next provider of the connection in without the factor', async () => {
    const former = await HostileProvider.start();
    try {
      const { organizationId } = await tenant();
      const own = newDomain();
      await addDomain(organizationId, own);
      const id = await addConnection(organizationId, { issuer: former.origin, clientId: provider.clientId });
      const user = await guardedByTotp();
      const [email, sub] = [addressAt(own), randomBytes(8).toString('hex')];
      await setAddress(user.id, email, email);
      const begun = await signIn(claiming({ email, sub }), id, new PlainBrowser(), former);
      const challenge = new URLSearchParams(begun.split('#')[1]);
      await changeConnection(id, { issuer: provider.origin });
      const body = { challenge_token: challenge.get('challenge_token'), code: totpCode(user.secret) };
      await api.post('/v1/auth/mfa/totp/verify', body).expect(200);
      expect(await signIn(claiming({ email, sub }), id)).toMatch(/^\/console\/login#challenge_token=/);
    } finally {
      await former.close();
    }
  });

  let waiting: string;
  let lost: string;
});

describe('a sign-out in the console', () => {
  it('ends here when the provider has no sign-out, and keeps no ID token', async () => {
    const { organizationId } = await tenant();
    const own = newDomain();
    await addDomain(organizationId, own);
    const id = await addConnection(organizationId, { issuer: provider.origin, clientId: provider.clientId });
    const browser = new PlainBrowser();
    expect(await signIn(claiming({ email: addressAt(own) }), id, browser)).toBe('/console');
    expect(await storedIdTokens(id)).toEqual([null]);
    expect(await browser.signOut()).toBeNull();
  });

  const signedIn = async (claims: Claims) => {
    provider.discovery = json({ ...provider.metadata, end_session_endpoint: `${provider.origin}/logout?x=1` });
    const options = { issuer: provider.origin, clientId: provider.clientId };
    const { organizationId } = await tenant();
    const own = newDomain();
    await addDomain(organizationId, own);
    const id = await addConnection(organizationId, options);
    const browser = new PlainBrowser();
    let idToken = '';
    const forge: Forge = async (nonce) =>
      (idToken = await provider.sign(provider.claims(nonce, { email: addressAt(own), ...claims })));
    expect(await signIn(forge, id, browser)).toBe('/console');
    return { id, browser, idToken };
  };

  it('goes on to the provider with the ID token of the session, which is stored encrypted and never logged', async () => {
    const { id, browser, idToken } = await signedIn({});
    const [stored = ''] = await storedIdTokens(id);
    expect(stored).toMatch(/^v[\w-]+\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
    const next = await browser.signOut();
    expect([next?.origin, next?.pathname]).toEqual([provider.origin, '/logout']);
    expect(Object.fromEntries(next?.searchParams ?? [])).toEqual({
      x: '1',
      client_id: provider.clientId,
      id_token_hint: idToken,
      post_logout_redirect_uri: `${service.url}/console/login`,
    });
    const [header = '', claims = '', signature = ''] = idToken.split('.');
    for (const place of [stored, await logText()])
      for (const part of [`${header}.`, claims, signature]) expect(place).not.toContain(part);
  });

  it.each([
    ['a smaller one is sent', 5_000, true],
    ['a larger one is left out', 6_500, false],
  ])('sends an ID token of up to 8 KiB: %s', async (_, padding, isSent) => {
    const { id, browser, idToken } = await signedIn({ padding: 'x'.repeat(padding) });
    expect((await storedIdTokens(id)).map((stored) => stored !== null)).toEqual([isSent]);
    const { searchParams } = (await browser.signOut()) ?? new URL('about:blank');
    expect(searchParams.get('id_token_hint')).toBe(isSent ? idToken : null);
    expect(searchParams.get('client_id')).toBe(provider.clientId);
  });
});

describe('a back-channel logout', () => {
  const tokenFor = (changes: Claims = {}): Claims => ({
    iss: provider.origin,
    aud: provider.clientId,
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 120,
    jti: randomBytes(12).toString('hex'),
    events: { [LOGOUT]: {} },
    ...changes,
  });
  const send = (token: string, id = connection) =>
    api.post(`/sso/oidc/${id}/backchannel-logout`).type('form').send({ logout_token: token });
  const session = async (sub: string, sid?: string) => {
    const browser = new PlainBrowser();
    expect(await signIn(claiming({ email: `${sub}@${domain}`, sub, sid }), connection, browser)).toBe('/console');
    return { accessToken: (await browser.accessToken()) ?? '' };
  };
  const isAlive = async (of: { accessToken: string }) => (await api.as(of).get('/v1/auth/me')).status === 200;
  const ended = (of: { accessToken: string }) =>
    eventually(
      () => isAlive(of),
      (alive) => !alive,
    );

  it('ends every session of a subject, and no other', async () => {
    const [sub, other] = [randomBytes(8).toString('hex'), randomBytes(8).toString('hex')];
    const sessions = [await session(sub), await session(sub, 's1')];
    const stays = await session(other);
    const answer = await send(await provider.sign(tokenFor({ sub }))).expect(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    for (const one of sessions) await ended(one);
    expect(await isAlive(stays)).toBe(true);
  });

  it('ends one session at the provider when the token names it', async () => {
    const sub = randomBytes(8).toString('hex');
    const [first, second] = [await session(sub, `${sub}-1`), await session(sub, `${sub}-2`)];
    await send(await provider.sign(tokenFor({ sid: `${sub}-1` }))).expect(200);
    await ended(first);
    expect(await isAlive(second)).toBe(true);
    await send(await provider.sign(tokenFor({ sub, sid: `${sub}-2` }))).expect(200);
    await ended(second);
  });

  it('ends a session whose name at the provider is unknown when the token names the subject too', async () => {
    const sub = randomBytes(8).toString('hex');
    const one = await session(sub);
    await send(await provider.sign(tokenFor({ sub, sid: 'unknown' }))).expect(200);
    await ended(one);
  });

  it('ends a session that the second factor of the account opened', async () => {
    const user = await guardedByTotp();
    const [email, sub] = [addressAt(domain), randomBytes(8).toString('hex')];
    await setAddress(user.id, email, email);
    const challenge = new URLSearchParams((await signIn(claiming({ email, sub }))).split('#')[1]);
    const body = { challenge_token: challenge.get('challenge_token'), code: totpCode(user.secret) };
    const { body: tokens } = await api.post('/v1/auth/mfa/totp/verify', body).expect(200);
    const one = { accessToken: (tokens as { access_token: string }).access_token };
    expect(await isAlive(one)).toBe(true);
    await send(await provider.sign(tokenFor({ sub }))).expect(200);
    await ended(one);
  });

  it('is accepted once', async () => {
    const token = await provider.sign(tokenFor({ sub: 'nobody' }));
    await send(token).expect(200);
    await send(token).expect(400, { detail: 'Invalid logout token' });
    expect((await refusalsOf(connection))[0]).toBe('logout token refused (it was used before)');
  });

  it('ends the session by the same token when the first try failed', async () => {
    const sub = randomBytes(8).toString('hex');
    const one = await session(sub);
    const token = await provider.sign(tokenFor({ sub }));
    const requestId = randomUUID();
    await failNextCommit(requestId);
    await send(token).set('X-Request-ID', requestId).expect(500);
    expect(await isAlive(one)).toBe(true);
    await send(token).expect(200);
    await ended(one);
  });

  it.each<[string, (sub: string) => Promise<string> | string, string]>([
    ['is signed by another key', (sub) => provider.sign(tokenFor({ sub }), signingKey(provider.key.kid)), 'signature'],
    ['has no signature', (sub) => new UnsecuredJWT(tokenFor({ sub })).encode(), 'alg'],
    ['names another issuer', (sub) => provider.sign(tokenFor({ sub, iss: 'https://x.example' })), '"iss"'],
    ['is for another audience', (sub) => provider.sign(tokenFor({ sub, aud: 'x' })), '"aud"'],
    ['has a nonce, as an ID token has', (sub) => provider.sign(tokenFor({ sub, nonce: 'x' })), 'nonce'],
    ['is an ID token', (sub) => provider.sign({ ...provider.claims('x'), sub, jti: 'a' }), 'nonce'],
    ['has no event', (sub) => provider.sign(tokenFor({ sub, events: undefined })), 'no logout'],
    ['has another event', (sub) => provider.sign(tokenFor({ sub, events: { x: {} } })), 'no logout'],
    [
      'has an event that is no object',
      (sub) => provider.sign(tokenFor({ sub, events: { [LOGOUT]: true } })),
      'no logout',
    ],
    ['names nobody', () => provider.sign(tokenFor()), 'names nobody'],
    ['names a list', (sub) => provider.sign(tokenFor({ sub: undefined, sid: [sub] })), 'not usable'],
    ['has no id', (sub) => provider.sign(tokenFor({ sub, jti: undefined })), '"jti"'],
    ['was issued long ago', (sub) => provider.sign(tokenFor({ sub, iat: NOW - 3_600 })), '"iat"'],
    ['has expired', (sub) => provider.sign(tokenFor({ sub, exp: NOW - 60 })), '"exp"'],
  ])('is refused with a security event when the token %s', async (_, forge, reason) => {
    const sub = randomBytes(8).toString('hex');
    const one = await session(sub);
    await send(await forge(sub)).expect(400, { detail: 'Invalid logout token' });
    expect((await refusalsOf(connection))[0]).toContain(reason);
    expect(await isAlive(one)).toBe(true);
  });

  it('does not end the sessions of another connection', async () => {
    const sub = randomBytes(8).toString('hex');
    const one = await session(sub);
    const options = { issuer: provider.origin, clientId: provider.clientId };
    const other = await addConnection((await tenant()).organizationId, options);
    await send(await provider.sign(tokenFor({ sub })), other).expect(200);
    expect(await isAlive(one)).toBe(true);
  });

  it('is refused for an unknown provider and without a token', async () => {
    await send('x', 'nobody').expect(400, { detail: 'Invalid logout token' });
    await api.post(`/sso/oidc/${connection}/backchannel-logout`).type('form').send({}).expect(422);
  });
});
