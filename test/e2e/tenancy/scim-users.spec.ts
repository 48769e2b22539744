import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { eventually } from '../../support/eventually.js';
import { anotherSession, securityEventTypes } from '../../support/second-factors-api.js';
import {
  bodyOf,
  type ProvisionedTenant,
  provisionedTenant,
  rolesIn,
  SCIM_TYPE,
  ScimApi,
  scimError,
  scimToken,
  USER_SCHEMA,
} from '../../support/scim-api.js';
import { accessTokenOf, answer, begin, company } from '../../support/saml-sign-in.js';
import { account, type Account, api, PASSWORD } from '../../support/service.js';
import { mailsTo } from '../../support/service-mail.js';
import { memberOf } from '../../support/sql-builders/accounts.js';
import { organizationAudit } from '../../support/sql-builders/tenancy.js';
import { verifiedDomain, withoutDomain } from '../../support/sql-builders/provisioning.js';

const UNKNOWN = '0199f3a1-0000-7000-8000-00000000000f';
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let acme: ProvisionedTenant;

beforeAll(async () => {
  acme = await provisionedTenant();
});

const me = (of: Account) => api.as(of).get('/v1/auth/me');

describe('A user of SCIM', () => {
  it('is made with an account, a membership and everything that the provider sent', async () => {
    const userName = acme.address();
    const emails = [{ value: userName, type: 'work', primary: true }];
    const name = { formatted: 'Ada Lovelace', givenName: 'Ada', familyName: 'Lovelace' };
    const body = { schemas: [USER_SCHEMA], userName, externalId: 'ext-1', displayName: 'Ada', name, emails };
    const answer = await acme.scim.post('/Users', body).expect(201);
    const { id } = bodyOf(answer);
    expect(answer.body).toEqual({
      ...body,
      id,
      active: true,
      meta: {
        resourceType: 'User',
        created: TIME,
        lastModified: TIME,
        location: expect.stringMatching(new RegExp(`^http.*/scim/v2/Users/${id}$`)),
        version: 'W/"1"',
      },
    });
    expect(answer.headers).toMatchObject({
      'content-type': SCIM_TYPE,
      etag: 'W/"1"',
      location: bodyOf(answer).meta.location,
    });
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'viewer' });
    expect((await acme.scim.get(`/Users/${id}`).expect(200)).body).toEqual(answer.body);
  });

  it('is told by mail that the account was created, and that the access has ended', async () => {
    const userName = acme.address();
    const { id } = bodyOf(await acme.scim.post('/Users', { userName }).expect(201));
    await acme.scim.delete(`/Users/${id}`).expect(204);
    const subjects = (await mailsTo(userName, 2)).map(({ subject }) => subject);
    expect(subjects.sort()).toEqual(['An account was created for you', 'Your access to an organization has ended']);
  });

  it('is recorded in the audit log, without the token', async () => {
    const { id } = await acme.scim.made({ userName: acme.address() });
    await acme.scim.delete(`/Users/${id}`).expect(204);
    const entries = (await organizationAudit(acme.tenant.organizationId)).filter(({ target_id }) => target_id === id);
    expect(entries.map(({ action, actor_user_id }) => [action, actor_user_id])).toEqual([
      ['scim_user.created', null],
      ['member.joined', null],
      ['member.removed', null],
      ['scim_user.deleted', null],
    ]);
    expect(JSON.stringify(entries)).not.toContain('oes_scim_');
  });

  it.each([
    ['of another domain', (name: string) => `${name}@example.com`],
    ['of a subdomain', (name: string) => `${name}@mail.${acme.domain}`],
    ['with the domain before its own', (name: string) => `${name}@${acme.domain}.evil.example`],
  ])('is refused with an address %s', async (_, address) => {
    const answer = await acme.scim.post('/Users', { userName: address('stranger') }).expect(400);
    expect(answer.body).toEqual(
      scimError(400, 'invalidValue', 'The domain of userName is not a verified domain of the organization'),
    );
  });

  it.each([['no address'], ['@'], [''], [null], [5], [['a@b.example']]])(
    'is refused with the name %j',
    async (name) => {
      const answer = await acme.scim.post('/Users', { userName: name }).expect(400);
      expect(answer.body).toMatchObject({ status: '400', scimType: 'invalidValue' });
    },
  );

  it('is one user, whatever the case of the address', async () => {
    const userName = acme.address();
    await acme.scim.made({ userName });
    const [local = '', domain = ''] = userName.split('@');
    for (const spelling of [userName, userName.toUpperCase(), `${local}@${domain.toUpperCase()}`]) {
      const { body } = await acme.scim.post('/Users', { userName: spelling }).expect(409);
      expect(body).toEqual(scimError(409, 'uniqueness'));
      expect(await acme.scim.found(`userName eq "${spelling}"`)).toEqual([userName]);
    }
  });

  it('is refused when another user has the external id', async () => {
    const [first, second] = [acme.address(), acme.address()];
    await acme.scim.made({ userName: first, externalId: 'same' });
    const { body } = await acme.scim.post('/Users', { userName: second, externalId: 'same' }).expect(409);
    expect(body).toEqual(scimError(409, 'uniqueness', 'Another user has this externalId'));
    expect(await acme.scim.found(`userName eq "${second}"`)).toEqual([]);
  });

  it('is made once when many requests race', async () => {
    const userName = acme.address();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        acme.scim.post('/Users', { userName: at % 2 === 0 ? userName : userName.toUpperCase() }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array<number>(7).fill(409)]);
    expect(await acme.scim.found(`userName eq "${userName}"`)).toHaveLength(1);
  });

  it('gets only the membership when a verified account has the address', async () => {
    const person = await account(acme.address());
    const { id } = await acme.scim.made({ userName: person.email, displayName: 'Somebody else' });
    expect(id).toBe(person.id);
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'viewer' });
    const { body } = await me(person).expect(200);
    expect(body).toMatchObject({ has_password: true, name: null });
  });

  it('keeps the role of somebody who was a member already', async () => {
    const person = await account(acme.address());
    await memberOf(acme.tenant, person.id, 'admin');
    const { id } = await acme.scim.made({ userName: person.email });
    expect(id).toBe(person.id);
    await acme.scim.put(`/Users/${id}`, { userName: person.email }).expect(200);
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'admin' });
  });

  it('keeps a role that was changed by hand when the user is replaced', async () => {
    const domain = await verifiedDomain(acme.tenant.organizationId);
    const person = await account(`admin@${domain}`);
    const before = await acme.scim.made({ userName: person.email });
    await api
      .as(acme.tenant.owner)
      .patch(`/v1/organizations/${acme.tenant.organizationId}/members/${person.id}`, { role: 'admin' })
      .expect(200);
    await acme.scim.put(`/Users/${before.id}`, { userName: person.email }).expect(200);
    expect(await rolesIn(acme.tenant)).toMatchObject({ [person.id]: 'admin' });
  });

  it('takes over a registration whose address nobody has verified, without its password', async () => {
    const email = acme.address();
    await api.post('/v1/auth/register', { email, password: PASSWORD, name: 'Mallory' }).expect(201);
    const { id } = await acme.scim.made({ userName: email, displayName: 'Owner' });
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'viewer' });
    const { status } = await api.post('/v1/auth/login').type('form').send({ username: email, password: PASSWORD });
    expect(status).toBe(401);
  });

  it('is not made a member while it is inactive, and becomes one when it is active', async () => {
    const { id, active } = await acme.scim.made({ userName: acme.address(), active: false });
    expect(active).toBe(false);
    expect(await rolesIn(acme.tenant)).not.toHaveProperty(id);
    await acme.scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value: true }).expect(200);
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'viewer' });
  });

  it('is not made a member by a sign-in while it is inactive', async () => {
    const of = await company();
    const scim = new ScimApi(await scimToken(of.tenant));
    const { id, userName } = await scim.made({ userName: of.newAddress(), active: false });
    const begun = await begin(of.connectionId);
    const wish = { acs: of.acs, audience: of.audience, requestId: begun.requestId, attributes: { email: [userName] } };
    const outcome = await answer(of, of.provider.signedResponse(wish), begun);
    const accessToken = await accessTokenOf(outcome);
    expect((await api.as({ accessToken }).get('/v1/auth/me').expect(200)).body).toMatchObject({ id });
    expect(await rolesIn(of.tenant)).not.toHaveProperty(id);
    expect(await scim.user(id)).toMatchObject({ active: false });
    await scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value: true }).expect(200);
    expect(await rolesIn(of.tenant)).toMatchObject({ [id]: 'viewer' });
  });

  it('stays inactive by a PUT without active', async () => {
    const { id, userName } = await acme.scim.made({ userName: acme.address() });
    const path = `/Users/${id}`;
    await acme.scim.operate(path, { op: 'replace', path: 'active', value: false }).expect(200);
    const { body } = await acme.scim.put(path, { userName, displayName: 'New' }).expect(200);
    expect(body).toMatchObject({ displayName: 'New', active: false });
    expect(await rolesIn(acme.tenant)).not.toHaveProperty(id);
    await acme.scim.put(path, { userName, active: true }).expect(200);
    const kept = await acme.scim.put(path, { userName, active: null }).expect(200);
    expect(kept.body).toMatchObject({ active: true });
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'viewer' });
  });

  it('can be made again after it was deleted', async () => {
    const userName = acme.address();
    const { id } = await acme.scim.made({ userName, externalId: 'again' });
    await acme.scim.delete(`/Users/${id}`).expect(204);
    for (const request of [
      acme.scim.get(`/Users/${id}`),
      acme.scim.put(`/Users/${id}`, { userName }),
      acme.scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value: true }),
      acme.scim.delete(`/Users/${id}`),
    ])
      expect((await request.expect(404)).body).toEqual(scimError(404, undefined, 'Resource not found'));
    expect(await rolesIn(acme.tenant)).not.toHaveProperty(id);
    const again = await acme.scim.made({ userName, externalId: 'again' });
    expect(again).toMatchObject({ id, active: true });
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'viewer' });
  });

  it('ignores attributes and extensions that are not kept', async () => {
    const userName = acme.address();
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
    const made = await acme.scim.made({
      schemas: [USER_SCHEMA, enterprise],
      userName,
      nickName: 'Nick',
      password: 'not-kept-anywhere',
      phoneNumbers: [{ value: '1', type: 'work' }],
      [enterprise]: { department: 'Sales', manager: { value: 'x' } },
      'urn:example:unknown': { a: 1 },
    });
    expect(made).toMatchObject({ schemas: [USER_SCHEMA], userName });
    expect(Object.keys(made).sort()).toEqual(['active', 'id', 'meta', 'schemas', 'userName']);
  });

  it.each([
    ['a name that is too long', { displayName: 'x'.repeat(201) }],
    ['a name that steers text', { name: { givenName: 'a\u202eb' } }],
    ['text that cannot be stored', { externalId: 'a\u0000' }],
    ['too many addresses', { emails: Array.from({ length: 21 }, () => ({ value: 'a' })) }],
    ['emails that are no objects', { emails: [5] }],
    ['an address that is too long', { emails: [{ value: 'x'.repeat(257) }] }],
    ['an unknown state', { active: 'maybe' }],
    ['a name that is a text', { name: 'Ada' }],
  ])('is refused with %s', async (_, part) => {
    const { body } = await acme.scim.post('/Users', { userName: acme.address(), ...part }).expect(400);
    expect(body).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });

  it('is not changed by a PATCH that adds too many addresses', async () => {
    const { id } = (await acme.scim.post('/Users', { userName: acme.address() }).expect(201)).body as { id: string };
    const value = Array.from({ length: 2_000 }, (_, index) => ({ value: `${index}@mail.example` }));
    const { body } = await acme.scim.operate(`/Users/${id}`, { op: 'add', path: 'emails', value }).expect(400);
    expect(body).toMatchObject({ status: '400', scimType: 'invalidValue' });
  });

  it('is refused at once by a PATCH that repeats an operation on a large address', async () => {
    const { id } = await acme.scim.made({ userName: acme.address() });
    const names = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`k${at}`, 1]));
    const emails = (value: object) => ({ op: 'replace', path: 'emails', value: [value] });
    const repeated = Array.from({ length: 9_000 }, () => ({ op: 'add', path: 'emails', value: { value: 'b' } }));
    for (const operations of [
      [emails({ value: 'A'.repeat(500_000) }), ...repeated],
      [emails({ value: 'A'.repeat(257) })],
      [emails({ value: 'a', ...names }), ...repeated.slice(0, 100)],
    ]) {
      const { body } = await acme.scim.operate(`/Users/${id}`, ...operations).expect(400);
      expect(body).toMatchObject({ status: '400' });
    }
    expect(await acme.scim.user(id)).not.toHaveProperty('emails');
  });

  it.each([['{"userName":'], ['[]'], ['"text"'], ['null'], ['']])('is refused with the body %s', async (text) => {
    const { body } = await acme.scim.post('/Users', text).expect(400);
    expect(body).toEqual(scimError(400, 'invalidSyntax'));
  });

  it('is refused above 1 MiB', async () => {
    const { body } = await acme.scim
      .post('/Users', { userName: acme.address(), junk: 'x'.repeat(1_050_000) })
      .expect(413);
    expect(body).toEqual(scimError(413, undefined, 'Request body too large'));
  });

  it('is accepted as application/json, and refused as another media type', async () => {
    await acme.scim.withType('application/json').post('/Users', { userName: acme.address() }).expect(201);
    await acme.scim
      .withType('application/scim+json; charset=utf-8')
      .post('/Users', { userName: acme.address() })
      .expect(201);
    const { body } = await acme.scim.withType('text/plain').post('/Users', { userName: acme.address() }).expect(415);
    expect(body).toEqual(scimError(415));
  });

  it('is not found under an unknown or malformed id', async () => {
    for (const id of [UNKNOWN, 'x', '%00', 'Users'])
      expect((await acme.scim.get(`/Users/${id}`)).status).toBe(id === '%00' ? 400 : 404);
  });
});

describe('The end of a membership by SCIM', () => {
  it.each([
    [
      'active false',
      (id: string) => acme.scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
    ],
    ['a replacement', (id: string, userName: string) => acme.scim.put(`/Users/${id}`, { userName, active: false })],
    ['a deletion', (id: string) => acme.scim.delete(`/Users/${id}`)],
  ])('ends every session of the person by %s, and keeps the account', async (_, end) => {
    const person = await account(acme.address());
    const other = await anotherSession(person);
    const { id } = await acme.scim.made({ userName: person.email });
    await me(person).expect(200);
    await end(id, person.email);
    await eventually(
      async () => [(await me(person)).status, (await me({ ...person, ...other })).status],
      (statuses) => statuses.every((status) => status === 401),
    );
    await api.post('/v1/auth/refresh', { refresh_token: person.refreshToken }).expect(401);
    expect(await rolesIn(acme.tenant)).not.toHaveProperty(id);
    const again = await anotherSession(person);
    const signedIn = { ...person, ...again };
    expect((await me(signedIn).expect(200)).body).toMatchObject({ id, email: person.email });
    expect(await securityEventTypes(signedIn)).toContain('account_deprovisioned');
  });

  it.each([
    [
      'active false',
      (id: string) => acme.scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
    ],
    ['a deletion', (id: string) => acme.scim.delete(`/Users/${id}`)],
  ])('ends the sessions of somebody who has left before once by %s', async (_, end) => {
    const { organizationId } = acme.tenant;
    const person = await account(acme.address());
    const { id } = await acme.scim.made({ userName: person.email });
    await api.as(person).delete(`/v1/organizations/${organizationId}/members/${id}`).expect(200);
    await me(person).expect(200);
    await end(id);
    await eventually(
      async () => (await me(person)).status,
      (status) => status === 401,
    );
    const again = { ...person, ...(await anotherSession(person)) };
    await end(id);
    await api.post('/v1/auth/refresh', { refresh_token: again.refreshToken }).expect(200);
  });

  it('keeps the API keys of the project', async () => {
    const { key, organizationId, owner } = acme.tenant;
    const { id } = await acme.scim.made({ userName: acme.address() });
    await acme.scim.delete(`/Users/${id}`).expect(204);
    await api.as(key).get('/v1/api-keys/me').expect(200);
    await api.as(owner).get(`/v1/organizations/${organizationId}`).expect(200);
  });

  it.each([
    [
      'active false',
      (scim: ScimApi, id: string) => scim.operate(`/Users/${id}`, { op: 'replace', value: { active: false } }),
    ],
    ['a deletion', (scim: ScimApi, id: string) => scim.delete(`/Users/${id}`)],
  ])('is refused for the owner by %s', async (_, end) => {
    const { owner, organizationId, scim } = await ownedByProvisionedPerson();
    const { id } = await scim.made({ userName: owner.email });
    const answer = await end(scim, id);
    expect(answer.status).toBe(409);
    expect(answer.body).toEqual(
      scimError(409, undefined, 'The owner of the organization cannot be deactivated or removed by provisioning'),
    );
    expect(await rolesIn({ owner, organizationId })).toEqual({ [id]: 'owner' });
    await me(owner).expect(200);
    expect(await scim.user(id)).toMatchObject({ active: true });
  });

  it('is not undone after somebody removed the member by hand, unless the provider makes the user again', async () => {
    const { organizationId, owner } = acme.tenant;
    const { id, userName } = await acme.scim.made({ userName: acme.address() });
    await api.as(owner).delete(`/v1/organizations/${organizationId}/members/${id}`).expect(200);
    expect(await acme.scim.user(id)).toMatchObject({ active: false });
    const answer = await acme.scim.put(`/Users/${id}`, { userName, active: true }).expect(200);
    expect(answer.body).toMatchObject({ active: false });
    await acme.scim.delete(`/Users/${id}`).expect(204);
    expect(await rolesIn(acme.tenant)).not.toHaveProperty(id);
    expect(await acme.scim.made({ userName })).toMatchObject({ id, active: true });
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'viewer' });
  });

  it('is not undone after a removal by hand, when the provider has activated a member who was invited', async () => {
    const { organizationId, owner } = acme.tenant;
    const { id, userName } = await acme.scim.made({ userName: acme.address() });
    await acme.scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value: false }).expect(200);
    await memberOf(acme.tenant, id, 'member');
    await acme.scim.put(`/Users/${id}`, { userName, active: true }).expect(200);
    await api.as(owner).delete(`/v1/organizations/${organizationId}/members/${id}`).expect(200);
    await acme.scim.operate(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'New' }).expect(200);
    const { body } = await acme.scim.put(`/Users/${id}`, { userName, active: true }).expect(200);
    expect(body).toMatchObject({ active: false });
    expect(await rolesIn(acme.tenant)).not.toHaveProperty(id);
  });

  it('is undone after a removal by hand, when the provider deactivates the user and activates it again', async () => {
    const { organizationId, owner } = acme.tenant;
    const { id } = await acme.scim.made({ userName: acme.address() });
    await api.as(owner).delete(`/v1/organizations/${organizationId}/members/${id}`).expect(200);
    for (const value of [false, true])
      await acme.scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value }).expect(200);
    expect(await rolesIn(acme.tenant)).toMatchObject({ [id]: 'viewer' });
  });

  it('is undone only while the domain is verified', async () => {
    const domain = await verifiedDomain(acme.tenant.organizationId);
    const { id } = await acme.scim.made({ userName: `ada@${domain}` });
    await withoutDomain(acme.tenant.organizationId, domain);
    const operate = (active: boolean) =>
      acme.scim.operate(`/Users/${id}`, { op: 'replace', path: 'active', value: active });
    await operate(false).expect(200);
    expect((await operate(true).expect(400)).body).toEqual(scimError(400, 'invalidValue'));
    expect(await rolesIn(acme.tenant)).not.toHaveProperty(id);
  });

  it('leaves nothing when the person has deleted the account', async () => {
    const person = await account(acme.address());
    const { id } = await acme.scim.made({ userName: person.email });
    await api.as(person).post('/v1/account/delete', { current_password: PASSWORD }).expect(200);
    await acme.scim.get(`/Users/${id}`).expect(404);
    expect(await acme.scim.found(`userName eq "${person.email}"`)).toEqual([]);
  });
});

describe('The address of a user', () => {
  it('changes with the user name of an account that SCIM made', async () => {
    const { id } = await acme.scim.made({ userName: acme.address() });
    const next = acme.address();
    const { body } = await acme.scim
      .operate(`/Users/${id}`, { op: 'replace', path: 'userName', value: next })
      .expect(200);
    expect(body).toMatchObject({ id, userName: next });
    expect(await acme.scim.found(`userName eq "${next}"`)).toEqual([next]);
  });

  it('stays when the account was not made by SCIM', async () => {
    const person = await account(acme.address());
    const { id } = await acme.scim.made({ userName: person.email });
    const { body } = await acme.scim.put(`/Users/${id}`, { userName: acme.address() }).expect(400);
    expect(body).toEqual(scimError(400, 'mutability'));
    expect((await me(person).expect(200)).body).toMatchObject({ email: person.email });
  });

  it('does not leave the verified domains, and does not become that of another account', async () => {
    const { id } = await acme.scim.made({ userName: acme.address() });
    const taken = await account(acme.address());
    const rename = (userName: string) => acme.scim.put(`/Users/${id}`, { userName });
    expect((await rename('a@example.com').expect(400)).body).toEqual(scimError(400, 'invalidValue'));
    expect((await rename(taken.email).expect(409)).body).toEqual(scimError(409, 'uniqueness'));
  });
});

describe('A version of a user', () => {
  it('is compared by If-Match and If-None-Match', async () => {
    const { id, userName, meta } = await acme.scim.made({ userName: acme.address() });
    const path = `/Users/${id}`;
    const unchanged = await acme.scim.get(path).set('If-None-Match', meta.version).expect(304);
    expect(unchanged.headers.etag).toBe(meta.version);
    await acme.scim.get(path).set('If-None-Match', 'W/"0", "9"').expect(200);
    const changed = await acme.scim.put(path, { userName, displayName: 'A' }).set('If-Match', meta.version).expect(200);
    expect(changed.headers.etag).toBe('W/"2"');
    for (const request of [
      acme.scim.put(path, { userName }),
      acme.scim.operate(path, { op: 'remove', path: 'displayName' }),
      acme.scim.delete(path),
    ]) {
      const { body } = await request.set('If-Match', meta.version).expect(412);
      expect(body).toEqual(scimError(412));
    }
    await acme.scim.operate(path, { op: 'remove', path: 'displayName' }).set('If-Match', '*').expect(200);
    await acme.scim.get(path).set('If-None-Match', 'W/"2"').expect(200);
  });

  it('lets one of two changes of the same version pass', async () => {
    const { id, userName, meta } = await acme.scim.made({ userName: acme.address() });
    const answers = await Promise.all(
      ['A', 'B'].map((displayName) =>
        acme.scim.put(`/Users/${id}`, { userName, displayName }).set('If-Match', meta.version),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

/** Creates an organization whose owner has an address of its own domain. */
async function ownedByProvisionedPerson(): Promise<{ owner: Account; organizationId: string; scim: ScimApi }> {
  const domain = `${randomBytes(6).toString('hex')}.example`;
  const owner = await account(`owner@${domain}`);
  const slug = randomBytes(6).toString('hex');
  const { body } = await api.as(owner).post('/v1/organizations', { name: 'Own', slug }).expect(201);
  const organizationId = (body as { id: string }).id;
  await verifiedDomain(organizationId, domain);
  return { owner, organizationId, scim: new ScimApi(await scimToken({ owner, organizationId })) };
}
