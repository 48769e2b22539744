import { describe, expect, it } from '@jest/globals';
import { EMAIL, PERSISTENT, type ResponseWish } from '../../support/saml-provider.js';
import {
  accessTokenOf,
  answer,
  begin,
  type Company,
  company,
  outcomeOf,
  post,
  type Outcome,
} from '../../support/saml-sign-in.js';
import { guardedByTotp, totpCode } from '../../support/second-factors-api.js';
import { account, api } from '../../support/service.js';
import { setAddress } from '../../support/sql-builders/sign-in.js';
import {
  refusalsOf,
  setConnectionEnabled,
  setProvidedRoles,
  usedAssertionSeconds,
} from '../../support/sql-builders/sso-saml.js';

interface Member {
  readonly user_id: string;
  readonly role: string;
}

interface Person {
  readonly id: string;
  readonly email: string;
}

const personOf = async (outcome: Outcome): Promise<Person> => {
  const accessToken = await accessTokenOf(outcome);
  return (await api.as({ accessToken }).get('/v1/auth/me').expect(200)).body as Person;
};

/** Returns the role of the signed-in person in the organization, as the owner sees it. */
const roleIn = async ({ tenant: { owner, organizationId } }: Company, { id }: Person): Promise<string | undefined> => {
  const { body } = await api.as(owner).get(`/v1/organizations/${organizationId}/members`).expect(200);
  return (body as Member[]).find(({ user_id: userId }) => userId === id)?.role;
};

/** Signs a person in with a response that the provider has changed. */
async function signIn(of: Company, wish: Partial<ResponseWish> = {}, query: object = {}): Promise<Outcome> {
  const begun = await begin(of.connectionId, query);
  const { provider, acs, audience } = of;
  const xml = provider.signedResponse({ acs, audience, requestId: begun.requestId, ...wish });
  return answer(of, xml, begun);
}

describe('the SAML metadata of this service', () => {
  it('names its entity id, its assertion consumer service, and that assertions must be signed', async () => {
    const { connectionId, audience, acs } = await company();
    const { text, type } = await api.get(`/sso/saml/${connectionId}/metadata`).expect(200);
    expect(type).toBe('application/samlmetadata+xml');
    expect(text).toContain(`entityID="${audience}"`);
    expect(text).toContain('WantAssertionsSigned="true"');
    expect(text).toMatch(new RegExp(`HTTP-POST" Location="${acs.replaceAll('.', '\\.')}"`));
  });

  it('is 404 for a connection that is unknown or off', async () => {
    const { connectionId } = await company({ isEnabled: false });
    for (const id of [connectionId, '019cadc6-9a80-7295-8000-000000000001']) {
      const { body } = await api.get(`/sso/saml/${id}/metadata`).expect(404);
      expect(body).toEqual({ detail: 'Connection not found' });
    }
  });
});

describe('the start of a sign-in by SAML', () => {
  it('redirects to the provider with a request and binds it to the browser', async () => {
    const { connectionId, acs, audience, provider } = await company();
    const { location, request, relayState, cookie, requestId } = await begin(connectionId);
    expect(location.href.startsWith(`${provider.signInUrl}?SAMLRequest=`)).toBe(true);
    expect(request).toContain(`AssertionConsumerServiceURL="${acs}"`);
    expect(request).toContain(`>${audience}</saml:Issuer>`);
    expect(request).toContain('Destination="https://idp.example.com/sso"');
    expect(requestId).toMatch(/^_[\w-]{43}$/);
    expect(relayState).toMatch(/^[\w-]{43}$/);
    expect(cookie).toMatch(/^sso_browser=[\w-]{43}$/);
  });

  it('returns to the sign-in page for a connection that is unknown or off', async () => {
    const { connectionId } = await company({ isEnabled: false });
    for (const id of [connectionId, '019cadc6-9a80-7295-8000-000000000001']) {
      const { headers } = await api.get(`/sso/saml/${id}/start`).redirects(0).expect(303);
      expect(headers['location']).toBe('/console/login?error=sso_unknown_provider');
    }
    // Anybody can make up names, so all unknown ones share one record.
    expect(await refusalsOf('unknown')).toContain('there is no such connection');
  });
});

describe('a sign-in by SAML', () => {
  it('creates the account and the membership, and lands in the console', async () => {
    const of = await company();
    const email = of.newAddress();
    const attributes = { email: [email], displayName: ['Ann Example'] };
    const outcome = await signIn(of, { attributes });
    expect(outcome).toMatchObject({ status: 303, location: '/console' });
    const person = await personOf(outcome);
    expect(person).toMatchObject({ email, name: 'Ann Example', email_verified: true, has_password: false });
    expect(await roleIn(of, person)).toBe('viewer');
    expect(await refusalsOf(of.connectionId)).toEqual([]);
  });

  it('gives the highest role of the groups, and returns to the address where it began', async () => {
    const of = await company({ groupsAttribute: 'teams' });
    await setProvidedRoles(of.tenant.organizationId, 'viewer', [
      { group: 'ops', role: 'operator' },
      { group: 'dev', role: 'member' },
    ]);
    const email = of.newAddress();
    const outcome = await signIn(
      of,
      { attributes: { email: [email], teams: ['dev', 'ops', 'other'] } },
      { return_to: '/console/logs?range=1h' },
    );
    expect(outcome.location).toBe('/console/logs?range=1h');
    expect(await roleIn(of, await personOf(outcome))).toBe('operator');
  });

  it('is refused when the assertion links to the groups in place of a list, but only while a group has a role', async () => {
    const of = await company();
    const linked = () => ({
      attributes: { email: [of.newAddress()], 'http://schemas.microsoft.com/claims/groups.link': ['https://graph'] },
    });
    expect((await signIn(of, linked())).location).toBe('/console');
    await setProvidedRoles(of.tenant.organizationId, 'viewer', [{ group: 'ops', role: 'operator' }]);
    expect((await signIn(of, linked())).location).toBe('/console/login?error=sso_failed');
    const reason = 'the assertion leaves the groups out, because there are too many';
    expect(await refusalsOf(of.connectionId)).toEqual([reason]);
  });

  it('reads the role of a person in 1,000 groups, each with the namespaces that Okta writes', async () => {
    const of = await company();
    await setProvidedRoles(of.tenant.organizationId, 'viewer', [{ group: 'group 999', role: 'operator' }]);
    const groups = Array.from({ length: 1_000 }, (_, index) => {
      const spaces =
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
      return `<saml:AttributeValue ${spaces} xsi:type="xs:string">group ${index}</saml:AttributeValue>`;
    }).join('');
    const inAssertion = `<saml:AttributeStatement><saml:Attribute Name="groups">${groups}</saml:Attribute></saml:AttributeStatement>`;
    const outcome = await signIn(of, { attributes: { email: [of.newAddress()] }, inAssertion });
    expect(await roleIn(of, await personOf(outcome))).toBe('operator');
  });

  it('signs in twenty people of one company at once', async () => {
    const of = await company();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => signIn(of, { attributes: { email: [of.newAddress()] } })),
    );
    expect(outcomes.map(({ location }) => location)).toEqual(outcomes.map(() => '/console'));
  });

  it('finds the same account again by the NameID, whatever its address is', async () => {
    const of = await company();
    const nameId = 'subject-1';
    const first = await personOf(await signIn(of, { nameId, attributes: { email: [of.newAddress()] } }));
    const second = await personOf(await signIn(of, { nameId, attributes: { email: [of.newAddress()] } }));
    expect(second).toEqual(first);
  });

  it('takes the NameID as the address when it has that format, in any case', async () => {
    const of = await company();
    const email = of.newAddress();
    const first = await personOf(await signIn(of, { nameId: email, nameIdFormat: EMAIL }));
    const second = await personOf(await signIn(of, { nameId: email.toUpperCase(), nameIdFormat: EMAIL }));
    expect(first.email).toBe(email);
    expect(second).toEqual(first);
  });

  it('asks once for the second factor of an account, and joins the organization after that', async () => {
    const of = await company();
    const user = await guardedByTotp();
    const email = of.newAddress();
    await setAddress(user.id, email, email);
    const wish = { nameId: 'subject-2', attributes: { email: [email] } };
    const outcome = await signIn(of, wish);
    const challenge = new URLSearchParams(outcome.location.split('#')[1]);
    expect([outcome.session, await roleIn(of, user)]).toEqual([undefined, undefined]);
    const body = { challenge_token: challenge.get('challenge_token'), code: totpCode(user.secret) };
    await api.post('/v1/auth/mfa/totp/verify', body).expect(200);
    expect(await roleIn(of, user)).toBe('viewer');
    expect(await personOf(await signIn(of, wish))).toMatchObject({ id: user.id, email });
  });

  it.each([[null], ['urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified']])(
    'takes a NameID of the format %s as the address when it is one, and as a name otherwise',
    async (nameIdFormat) => {
      const of = await company();
      const email = of.newAddress();
      expect((await personOf(await signIn(of, { nameId: email, nameIdFormat }))).email).toBe(email);
      const named = { nameId: 'ada', nameIdFormat, attributes: { email: [of.newAddress()] } };
      expect(await personOf(await signIn(of, named))).toEqual(await personOf(await signIn(of, named)));
    },
  );

  it('takes the address of the configured attribute alone', async () => {
    const of = await company({ emailAttribute: 'work' });
    const email = of.newAddress();
    const outcome = await signIn(of, { attributes: { email: [of.newAddress()], work: [email] } });
    expect((await personOf(outcome)).email).toBe(email);
    const without = await signIn(of, { attributes: { email: [of.newAddress()] } });
    expect(without.location).toBe('/console/login?error=sso_failed');
    expect(await refusalsOf(of.connectionId)).toEqual(['the assertion has no attribute with the address']);
  });

  it.each([['rsa-sha512' as const], ['ecdsa-sha256' as const]])('verifies a signature by %s', async (algorithm) => {
    const of = await company();
    const begun = await begin(of.connectionId);
    const key = algorithm === 'ecdsa-sha256' ? of.provider.ec.key : of.provider.rsa.key;
    const xml = of.provider.signedResponse(
      { ...of, requestId: begun.requestId, attributes: { email: [of.newAddress()] } },
      { algorithm, key },
    );
    expect((await answer(of, xml, begun)).location).toBe('/console');
  });

  it('verifies a signature that includes prefixes which no name uses', async () => {
    const of = await company();
    const begun = await begin(of.connectionId);
    const attributes = { email: [of.newAddress()] };
    const xml = of.provider.signedResponse(
      { ...of, requestId: begun.requestId, attributes },
      { inclusivePrefixes: ['xs', 'saml'] },
    );
    expect(xml).toContain('PrefixList="xs saml"');
    expect((await answer(of, xml, begun)).location).toBe('/console');
  });

  it('posts the form once more from a page of its own when the browser left the cookie out', async () => {
    const of = await company();
    const begun = await begin(of.connectionId);
    const xml = of.provider.signedResponse({
      ...of,
      requestId: begun.requestId,
      attributes: { email: [of.newAddress()] },
    });
    const form = { SAMLResponse: Buffer.from(xml).toString('base64'), RelayState: begun.relayState };
    const page = await post(of.acs, form, undefined);
    expect(page.status).toBe(200);
    const nonce = /<script nonce="([\w-]{43})">/.exec(page.text)?.[1] ?? 'none';
    expect(page.headers['content-security-policy']).toBe(
      `default-src 'none';script-src 'nonce-${nonce}';form-action 'self';frame-ancestors 'none';base-uri 'none'`,
    );
    const fields = [...page.text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
    const repeated = Object.fromEntries(fields) as Record<string, string>;
    expect(repeated).toEqual({ ...form, repeated: '1' });
    const again = outcomeOf(await post(of.acs, repeated, undefined));
    expect(again.location).toBe('/console/login?error=sso_expired');
    expect(outcomeOf(await post(of.acs, repeated, begun.cookie)).location).toBe('/console');
  });

  it('escapes the fields of that page', async () => {
    const { acs } = await company();
    const RelayState = 'a'.repeat(43);
    const page = await post(acs, { SAMLResponse: '"><script>alert(1)</script>', RelayState }, undefined);
    expect(page.text).not.toContain('<script>alert');
  });

  it('is refused for an address of a domain that the organization has not verified', async () => {
    const of = await company();
    const other = await company();
    const outcome = await signIn(of, { attributes: { email: [other.newAddress()] } });
    expect(outcome).toEqual({ status: 303, location: '/console/login?error=sso_domain', session: undefined });
    expect(await refusalsOf(of.connectionId)).toHaveLength(1);
    const attributes = { email: [other.newAddress()] };
    const kept = await signIn(of, { attributes }, { return_to: '/console/start?x=1' });
    expect(kept.location).toBe('/console/login?error=sso_domain&next=%2Fstart%3Fx%3D1');
  });

  it('is refused when the account with the linked identity has an address of another domain', async () => {
    const of = await company();
    const stranger = await account();
    const outcome = await signIn(of, { nameId: stranger.email, nameIdFormat: EMAIL });
    expect(outcome.location).toBe('/console/login?error=sso_domain');
  });

  it('is refused after the connection was turned off', async () => {
    const of = await company();
    const begun = await begin(of.connectionId);
    await setConnectionEnabled(of.connectionId, false);
    const xml = of.provider.signedResponse({
      ...of,
      requestId: begun.requestId,
      attributes: { email: [of.newAddress()] },
    });
    expect((await answer(of, xml, begun)).location).toBe('/console/login?error=sso_unknown_provider');
  });

  it('keeps a used assertion as long as it could be accepted', async () => {
    const of = await company();
    await signIn(of, { attributes: { email: [of.newAddress()] }, notOnOrAfter: 86_400, confirmedUntil: 86_400 });
    const [seconds = 0, ...others] = await usedAssertionSeconds(of.connectionId);
    expect(others).toEqual([]);
    // 10 minutes from its issue, and the minute of clock skew.
    expect(seconds).toBeGreaterThan(600);
    expect(seconds).toBeLessThanOrEqual(661);
  });
});

describe('a sign-in that the SAML provider begins', () => {
  const unsolicited = (of: Company): string =>
    of.provider.signedResponse({ ...of, requestId: null, attributes: { email: [of.newAddress()] } });

  it('is refused unless the connection allows it', async () => {
    const of = await company();
    expect((await answer(of, unsolicited(of), {})).location).toBe('/console/login?error=sso_failed');
    expect(await refusalsOf(of.connectionId)).toEqual(['the connection takes no sign-ins that the provider begins']);
  });

  it.each([[undefined], ['https://evil.example.com/'], ['//evil.example.com'], ['/console/admin']])(
    'lands at the console alone with the RelayState %s',
    async (relayState) => {
      const of = await company({ allowsIdpInitiated: true });
      const outcome = await answer(of, unsolicited(of), { relayState });
      expect(outcome).toMatchObject({ status: 303, location: '/console' });
      await accessTokenOf(outcome);
    },
  );

  it('is refused when the response answers a request', async () => {
    const of = await company({ allowsIdpInitiated: true });
    const { requestId } = await begin(of.connectionId);
    const xml = of.provider.signedResponse({ ...of, requestId, attributes: { email: [of.newAddress()] } });
    expect((await answer(of, xml, {})).location).toBe('/console/login?error=sso_failed');
    expect(await refusalsOf(of.connectionId)).toEqual(['the response answers another request']);
  });
});

describe('the persistent NameID', () => {
  it('names another person at another connection', async () => {
    const one = await company();
    const two = await company();
    const nameId = 'shared';
    const email = one.newAddress();
    await personOf(await signIn(one, { nameId, nameIdFormat: PERSISTENT, attributes: { email: [email] } }));
    const foreign = await signIn(two, { nameId, nameIdFormat: PERSISTENT, attributes: { email: [email] } });
    expect(foreign.location).toBe('/console/login?error=sso_domain');
    const own = await personOf(await signIn(two, { nameId, attributes: { email: [two.newAddress()] } }));
    expect(own.email).not.toBe(email);
  });
});
