import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { guardedByTotp, totpCode } from '../../support/second-factors-api.js';
import { account, api, randomEmail, service } from '../../support/service.js';
import { registered, securityEvents } from '../../support/sign-in-api.js';
import { disableAccount } from '../../support/sql-builders/identity.js';
import { linkedSubjects, verifiedAccounts } from '../../support/sql-builders/oauth.js';
import { expireSsoStarts, refusalsOf, roleIn } from '../../support/sql-builders/sso.js';
import { CompanyPeople, PlainBrowser, signOutAt } from '../../support/sso-api.js';

const acme = new CompanyPeople('acme');
const globex = new CompanyPeople('globex');
/** The organization that the provider `acme` of the configuration names. */
let organizationId: string;
let owner: Awaited<ReturnType<typeof account>>;

const refused = (code: string) => `/console/login?error=${code}`;
const pathOf = ({ pathname, search }: URL) => pathname + search;
const me = async (accessToken: string | null) =>
  (
    await api
      .as({ accessToken: accessToken ?? '' })
      .get('/v1/auth/me')
      .expect(200)
  ).body as Record<string, unknown>;

beforeAll(async () => {
  await Promise.all([acme.ready(), globex.ready()]);
  owner = await account();
  const create = async (slug: string) =>
    ((await api.as(owner).post('/v1/organizations', { name: 'Acme', slug }).expect(201)).body as { id: string }).id;
  organizationId = await create('Acme-of-provider');
});

describe('GET /sso/providers', () => {
  it('lists the providers of the configuration with label, icon and start', async () => {
    const { body } = await api.get('/sso/providers').expect(200);
    expect(body).toEqual({
      providers: [
        {
          name: 'acme',
          label: 'Acme',
          icon: expect.stringMatching(/^data:image\/svg\+xml;base64,/),
          start_url: '/sso/oidc/acme/start',
        },
        { name: 'globex', label: 'GLOBEX', icon: null, start_url: '/sso/oidc/globex/start' },
      ],
      // Other suites connect providers to organizations of the same service.
      by_address: expect.any(Boolean),
    });
  });
});

describe('POST /sso/discover', () => {
  it('answers the provider of a domain in every spelling, and nothing for other domains', async () => {
    const found = {
      providers: [{ label: 'GLOBEX', protocol: 'oidc', start_url: '/sso/oidc/globex/start' }],
    };
    for (const email of [
      'ada@globex.example',
      'nobody@GLOBEX.example',
      'ada@bücher.example',
      'a@xn--bcher-kva.example',
    ])
      expect((await api.post('/sso/discover', { email }).expect(200)).body).toEqual(found);
    for (const email of ['ada@sub.globex.example', owner.email])
      expect((await api.post('/sso/discover', { email }).expect(200)).body).toEqual({ providers: [] });
    await api.post('/sso/discover', { email: 'nobody' }).expect(422);
  });
});

describe('the start of a sign-in by a company', () => {
  it('sends the browser to the provider with PKCE, state and nonce', async () => {
    const url = await new PlainBrowser().start('acme');
    expect(url.origin).toBe(acme.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'events',
      redirect_uri: `${service.url}/sso/oidc/acme/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('gives the browser a cookie that no script and no other path can read', async () => {
    const response = await fetch(`${service.url}/sso/oidc/acme/start`, { redirect: 'manual' });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sso_browser=[\w-]{43}; Max-Age=600; Path=\/sso; Expires=.*; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('is refused for an unknown provider, which leaves a security event', async () => {
    for (const name of ['nobody', 'ACME', '0192d3a4-7c00-7000-8000-000000000001', '..%2facme']) {
      const { status, location } = await new PlainBrowser().go(`/sso/oidc/${name}/start`);
      expect([status, pathOf(location)]).toEqual([303, refused('sso_unknown_provider')]);
    }
    expect((await refusalsOf('unknown'))[0]).toBe('there is no such provider');
  });
});

describe('the first sign-in by a company', () => {
  it('makes an account in the organization, with the role of the group', async () => {
    const { subject, email } = await acme.add({ groups: ['Everybody', 'On-call'] });
    const browser = new PlainBrowser();
    expect(pathOf(await browser.signIn('acme', subject, '/console/start?x=1'))).toBe('/console/start?x=1');
    const accessToken = await browser.accessToken();
    expect(await me(accessToken)).toMatchObject({ email, email_verified: true, has_password: false });
    expect(await roleIn(organizationId, email)).toBe('operator');
    const types = (await securityEvents({ accessToken: accessToken ?? '' })).map(({ type }) => type);
    expect(types).toContain('account_registered');
  });

  it.each([
    ['the highest role of several groups', ['On-call', 'Admins'], 'admin'],
    ['the role of one group as a text', 'On-call', 'operator'],
    ['the default role without a group', undefined, 'member'],
    ['the default role for groups that are not mapped', ['owner', 'admins', 'On-call '], 'member'],
  ])('gives %s in the organization', async (_, groups, role) => {
    const { subject, email } = await acme.add({ groups });
    await new PlainBrowser().signIn('acme', subject);
    expect(await roleIn(organizationId, email)).toBe(role);
  });

  it('joins no organization when the organization of the group does not exist', async () => {
    const { subject, email } = await acme.add({ groups: ['Others'] });
    const browser = new PlainBrowser();
    expect(pathOf(await browser.signIn('acme', subject))).toBe('/console');
    expect(await me(await browser.accessToken())).toMatchObject({ email });
    expect(await roleIn(organizationId, email)).toBeNull();
  });

  it('joins no organization when the provider has none', async () => {
    const { subject } = await globex.add({ email: `ada-${randomBytes(5).toString('hex')}@globex.example` });
    const browser = new PlainBrowser();
    expect(pathOf(await browser.signIn('globex', subject))).toBe('/console');
    const { body } = await api
      .as({ accessToken: (await browser.accessToken()) ?? '' })
      .get('/v1/organizations')
      .expect(200);
    expect(body).toEqual([]);
  });

  it('links the account that has verified the address, and leaves the role of a member as it is', async () => {
    const { subject } = await acme.add({ email: owner.email, groups: ['On-call'] });
    const browser = new PlainBrowser();
    await browser.signIn('acme', subject);
    expect(await me(await browser.accessToken())).toMatchObject({ id: owner.id });
    expect(await roleIn(organizationId, owner.email)).toBe('owner');
  });

  it.each([
    ['is not verified', { email_verified: false }],
    ['is not said to be verified', { email_verified: undefined }],
    ['is missing', { email: undefined }],
    ['is none', { email: 'nowhere' }],
  ])('is refused when the address %s', async (_, claims) => {
    const user = await account();
    const { subject } = await acme.add();
    await acme.change(subject, { email: user.email, email_verified: true, ...claims });
    expect(pathOf(await new PlainBrowser().signIn('acme', subject))).toBe(refused('sso_failed'));
    expect((await refusalsOf('acme'))[0]).toBe('the provider has not verified the address');
    expect(await linkedSubjects(user.id)).toEqual([]);
  });

  it('trusts an address without email_verified where the configuration says so, but not one that is not verified', async () => {
    const email = `ada-${randomBytes(5).toString('hex')}@globex.example`;
    const { subject } = await globex.add();
    await globex.change(subject, { email, email_verified: false });
    expect(pathOf(await new PlainBrowser().signIn('globex', subject))).toBe(refused('sso_failed'));
    await globex.change(subject, { email });
    expect(pathOf(await new PlainBrowser().signIn('globex', subject))).toBe('/console');
    expect(await verifiedAccounts(email)).toHaveLength(1);
  });

  it.each([
    ['a foreign domain', 'example.com', 'sso_domain'],
    ['a subdomain', 'sub.globex.example', 'sso_domain'],
    ['a domain that ends like an allowed one', 'notglobex.example', 'sso_domain'],
    ['an allowed domain in other letters', 'Globex.EXAMPLE', null],
    ['an allowed domain in A-labels', 'xn--bcher-kva.example', null],
    ['an allowed domain in Unicode', 'BÜCHER.example', null],
  ])('looks at the domain of the address: %s', async (_, domain, code) => {
    const email = `ada-${randomBytes(5).toString('hex')}@${domain}`;
    const { subject } = await globex.add({ email });
    expect(pathOf(await new PlainBrowser().signIn('globex', subject))).toBe(code === null ? '/console' : refused(code));
    if (code !== null) expect((await refusalsOf('globex'))[0]).toContain('may not vouch for addresses of this domain');
  });

  it('is refused for a disabled account', async () => {
    const user = await registered();
    await disableAccount(user.id);
    const { subject } = await acme.add({ email: user.email });
    expect(pathOf(await new PlainBrowser().signIn('acme', subject))).toBe(refused('sso_disabled_account'));
    expect(await linkedSubjects(user.id)).toEqual([]);
  });

  it('answers the challenge of an account with a second factor, and joins the organization after that', async () => {
    const user = await guardedByTotp();
    const { subject } = await acme.add({ email: user.email, groups: ['On-call'] });
    const browser = new PlainBrowser();
    const location = await browser.signIn('acme', subject, '/console/account');
    expect(location.pathname).toBe('/console/login');
    const challenge = new URLSearchParams(location.hash.slice(1));
    expect(Object.fromEntries(challenge)).toEqual({
      challenge_token: expect.stringMatching(/^[\w-]{43}$/),
      expires_in: '300',
      methods: 'totp,recovery_code',
      next: '/account',
    });
    expect(await browser.accessToken()).toBeNull();
    expect([await linkedSubjects(user.id), await roleIn(organizationId, user.email)]).toEqual([[], null]);

    const body = { challenge_token: challenge.get('challenge_token'), code: totpCode(user.secret) };
    await api.post('/v1/auth/mfa/totp/verify', body).expect(200);
    expect([await linkedSubjects(user.id), await roleIn(organizationId, user.email)]).toEqual([[subject], 'operator']);
    expect(pathOf(await browser.signIn('acme', subject))).toBe('/console');
    expect(await me(await browser.accessToken())).toMatchObject({ id: user.id });
  });
});

describe('a later sign-in by a company', () => {
  const join = async (groups: string[]) => {
    const { subject, email } = await acme.add({ groups });
    const browser = new PlainBrowser();
    await browser.signIn('acme', subject);
    return { subject, email, browser, id: String((await me(await browser.accessToken()))['id']) };
  };

  it('does not raise the role', async () => {
    const { subject, email, browser } = await join([]);
    await acme.change(subject, { email, email_verified: true, groups: ['Admins'] });
    await browser.signIn('acme', subject);
    expect(await roleIn(organizationId, email)).toBe('member');
  });

  it('finds the role as it was after the owner has changed the roles of groups', async () => {
    const { subject, email, browser } = await join(['On-call']);
    const roles = { default_role: 'admin', group_roles: [{ group: 'On-call', role: 'admin' }] };
    await api.as(owner).put(`/sso/organizations/${organizationId}/roles`, roles).expect(200);
    expect(await roleIn(organizationId, email)).toBe('operator');
    await browser.signIn('acme', subject);
    expect(await roleIn(organizationId, email)).toBe('operator');
  });

  it('does not restore a membership that was ended', async () => {
    const { subject, email, browser, id } = await join(['Admins']);
    await api.as(owner).delete(`/v1/organizations/${organizationId}/members/${id}`).expect(200);
    expect(pathOf(await browser.signIn('acme', subject))).toBe('/console');
    expect(await roleIn(organizationId, email)).toBeNull();
  });

  it('finds the account by the subject, whatever became of the address', async () => {
    const { subject, browser, id } = await join([]);
    await acme.change(subject, { email: randomEmail(), email_verified: false });
    await browser.signIn('acme', subject);
    expect(await me(await browser.accessToken())).toMatchObject({ id });
  });

  it('is refused for another subject with the same address', async () => {
    const { email } = await join([]);
    const heir = await acme.add({ email });
    expect(pathOf(await new PlainBrowser().signIn('acme', heir.subject))).toBe(refused('sso_failed'));
    expect((await refusalsOf('acme'))[0]).toBe('the account has another subject of this provider');
  });
});

describe('a callback', () => {
  const ready = async () => {
    const { subject, email } = await acme.add();
    const browser = new PlainBrowser();
    return { subject, email, browser, callback: await browser.authorize(await browser.start('acme'), subject) };
  };
  const changed = (callback: string, changes: Record<string, string | null>) => {
    const url = new URL(callback, service.url);
    for (const [name, value] of Object.entries(changes))
      if (value === null) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    return pathOf(url);
  };

  it('signs the browser in once', async () => {
    const { browser, callback } = await ready();
    expect(pathOf((await browser.go(callback)).location)).toBe('/console');
    expect(pathOf((await browser.go(callback)).location)).toBe(refused('sso_expired'));
    expect((await refusalsOf('acme'))[0]).toBe('the sign-in is unknown, used or expired');
  });

  it.each<[string, Record<string, string | null>, string, string]>([
    ['another state', { state: 'x'.repeat(43) }, 'sso_expired', 'the sign-in is unknown, used or expired'],
    ['no state', { state: null }, 'sso_expired', 'the callback names no sign-in'],
    ['a state that is none', { state: "' OR 1=1" }, 'sso_expired', 'the callback names no sign-in'],
    ['the issuer of another provider', { iss: 'https://id.example.com' }, 'sso_failed', 'came from another issuer'],
    ['no issuer, though the provider announces it', { iss: null }, 'sso_failed', 'came from another issuer'],
    ['another code', { code: 'x'.repeat(43) }, 'sso_failed', 'token endpoint: answered 400 invalid_grant'],
    ['no code', { code: null }, 'sso_failed', 'the provider answered without a code'],
    ['a refusal', { code: null, error: 'access_denied' }, 'sso_failed', 'the provider answered access_denied'],
  ])('is refused with %s, and uses the sign-in up', async (title, changes, code, reason) => {
    const { email, browser, callback } = await ready();
    expect(pathOf((await browser.go(changed(callback, changes))).location)).toBe(refused(code));
    expect((await refusalsOf('acme'))[0]).toContain(reason);
    if (!title.includes('state')) {
      expect(pathOf((await browser.go(callback)).location)).toBe(refused('sso_expired'));
    }
    expect(await browser.accessToken()).toBeNull();
    expect(await verifiedAccounts(email)).toEqual([]);
  });

  it('is refused in another browser, with and without a sign-in of its own', async () => {
    const { email, callback } = await ready();
    expect(pathOf((await new PlainBrowser().go(callback)).location)).toBe(refused('sso_expired'));
    expect((await refusalsOf('acme'))[0]).toBe('the browser has no cookie of a sign-in');
    const victim = new PlainBrowser();
    await victim.start('acme');
    expect(pathOf((await victim.go(callback)).location)).toBe(refused('sso_failed'));
    expect((await refusalsOf('acme'))[0]).toBe('the sign-in began in another browser');
    expect(await victim.accessToken()).toBeNull();
    expect(await verifiedAccounts(email)).toEqual([]);
  });

  it('is refused at another provider', async () => {
    const { email, browser, callback } = await ready();
    const elsewhere = callback.replace('/acme/', '/globex/');
    expect(pathOf((await browser.go(elsewhere)).location)).toBe(refused('sso_failed'));
    expect((await refusalsOf('globex'))[0]).toBe('the sign-in began with another provider');
    expect(await verifiedAccounts(email)).toEqual([]);
  });

  it('is refused with the code and the issuer of one provider in a sign-in by another', async () => {
    const { browser, callback, email } = await ready();
    const state = (await browser.start('globex')).searchParams.get('state');
    const mixed = changed(callback, { state }).replace('/acme/', '/globex/');
    expect(pathOf((await browser.go(mixed)).location)).toBe(refused('sso_failed'));
    expect((await refusalsOf('globex'))[0]).toBe('the callback came from another issuer');
    expect(await verifiedAccounts(email)).toEqual([]);
  });

  it('is refused with the code of another sign-in in the same browser, whose nonce and challenge differ', async () => {
    const { browser, callback, email } = await ready();
    const state = (await browser.start('acme')).searchParams.get('state');
    expect(pathOf((await browser.go(changed(callback, { state }))).location)).toBe(refused('sso_failed'));
    expect(await verifiedAccounts(email)).toEqual([]);
  });

  it('is refused when the sign-in took too long', async () => {
    const { browser, callback } = await ready();
    await expireSsoStarts('acme');
    expect(pathOf((await browser.go(callback)).location)).toBe(refused('sso_expired'));
  });

  it('keeps the address that the person wanted to open when it is refused', async () => {
    const browser = new PlainBrowser();
    const wanted = '/console/start?x=1&y=/z';
    const next = `&${new URLSearchParams({ next: '/start?x=1&y=/z' }).toString()}`;
    const { subject } = await acme.add({ email_verified: false });
    expect(pathOf(await browser.signIn('acme', subject, wanted))).toBe(refused('sso_failed') + next);
    const late = await browser.authorize(await browser.start('acme', wanted), subject);
    await expireSsoStarts('acme');
    expect(pathOf((await browser.go(late)).location)).toBe(refused('sso_expired') + next);
    const query = new URLSearchParams({ return_to: wanted }).toString();
    const unknown = await browser.go(`/sso/oidc/nobody/start?${query}`);
    expect(pathOf(unknown.location)).toBe(refused('sso_unknown_provider') + next);
    for (const [address, expected] of [
      ['/console', '/'],
      ['/console?x=1', '/?x=1'],
    ] as const) {
      const returnTo = new URLSearchParams({ return_to: address }).toString();
      const { location } = await browser.go(`/sso/oidc/nobody/start?${returnTo}`);
      expect(location.searchParams.get('next')).toBe(expected);
    }
  });

  it('does not reveal the address of a sign-in that began in another browser', async () => {
    const { subject } = await acme.add();
    const browser = new PlainBrowser();
    const callback = await browser.authorize(await browser.start('acme', '/console/start?x=1'), subject);
    const other = new PlainBrowser();
    await other.start('acme', '/console/account');
    expect(pathOf((await other.go(callback)).location)).toBe(refused('sso_failed'));
  });

  it('leaves two sign-ins in one browser apart', async () => {
    const browser = new PlainBrowser();
    const people = [await acme.add(), await acme.add()] as const;
    const callbacks = [];
    for (const { subject } of people) callbacks.push(await browser.authorize(await browser.start('acme'), subject));
    for (const [at, { email }] of people.entries()) {
      expect(pathOf((await browser.go(callbacks[at] ?? '')).location)).toBe('/console');
      expect(await me(await browser.accessToken())).toMatchObject({ email });
    }
  });

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/console//evil.example',
    '/console/../v1/auth/me',
    '/consolex',
    'javascript:alert(1)',
    '/console/\r\nSet-Cookie: a=b',
    '/console@evil.example',
  ])('sends nobody to %j', async (returnTo) => {
    const { subject } = await acme.add();
    const { pathname, origin } = await new PlainBrowser().signIn('acme', subject, returnTo);
    expect(origin).toBe(new URL(service.url).origin);
    expect(pathname === '/console' || pathname.startsWith('/console/')).toBe(true);
    const query = new URLSearchParams({ return_to: returnTo }).toString();
    const { location } = await new PlainBrowser().go(`/sso/oidc/nobody/start?${query}`);
    const next = location.searchParams.get('next');
    expect(next === null || /^\/(?![/\\])/.test(next)).toBe(true);
  });
});

describe('the end of a session that a company opened', () => {
  it('goes on to the sign-out of the provider, which comes back to the sign-in page', async () => {
    const { subject } = await acme.add();
    const browser = new PlainBrowser();
    await browser.signIn('acme', subject);
    const next = await browser.signOut();
    expect(next?.origin).toBe(acme.issuer);
    expect(Object.fromEntries(next?.searchParams ?? [])).toEqual({
      client_id: 'events',
      id_token_hint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      post_logout_redirect_uri: `${service.url}/console/login`,
    });
    expect(await browser.accessToken()).toBeNull();
  });

  it('ends the other sessions of the person when the provider reports its sign-out', async () => {
    const { subject } = await acme.add();
    const stays = await acme.add();
    const atProvider = new Map<string, string>();
    const [browser, same] = [new PlainBrowser(atProvider), new PlainBrowser(atProvider)];
    const other = new PlainBrowser();
    await browser.signIn('acme', subject);
    await same.signIn('acme', subject);
    await other.signIn('acme', stays.subject);
    const accessToken = (await same.accessToken()) ?? '';
    await me(accessToken);
    const next = await browser.signOut();
    expect(await signOutAt(next ?? new URL('about:blank'), atProvider)).toBe(`${service.url}/console/login`);
    await eventually(
      async () => (await api.as({ accessToken }).get('/v1/auth/me')).status,
      (status) => status === 401,
    );
    expect(await same.accessToken()).toBeNull();
    await me(await other.accessToken());
  });
});
