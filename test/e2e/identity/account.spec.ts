import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { type Payments, startPayments } from '../../support/payments.js';
import { anotherSession, securityEventTypes } from '../../support/second-factors-api.js';
import { capturedMails, mailsTo } from '../../support/service-mail.js';
import { account, type Account, api, job, PASSWORD, randomEmail, tenant } from '../../support/service.js';
import {
  login,
  mailedToken,
  mailRequestsHandled,
  mailsAbout,
  noticesSent,
  refresh,
  registered,
  securityEvents,
  sessionIdOf,
  signIn,
} from '../../support/sign-in-api.js';
import { memberOf } from '../../support/sql-builders/accounts.js';
import { expireStepUpTokens, removePassword, stepUpToken } from '../../support/sql-builders/identity.js';
import {
  accountsWithAddress,
  ageMailedTokens,
  cancelSubscription,
  dueNotices,
  expireMailedTokensIn,
  failedSignIns,
  passwordChanges,
  remainingOrganizations,
  setNoticeAge,
  setPaymentCustomer,
  subscription,
} from '../../support/sql-builders/sign-in.js';
import { setPlan } from '../../support/sql-builders/tenancy.js';

const NEW_PASSWORD = 'difference-engine-no-2';
const WRONG = { detail: 'Incorrect password' };
const OWNS = 'Account owns an organization';
const PROOF = { current_password: PASSWORD };

const post = (path: string, by: Account, body: object = {}) => api.as(by).post(`/v1/account/${path}`, body);
const me = (of: Account) => api.as(of).get('/v1/auth/me');
const requestReset = (email: string) => api.post('/v1/auth/password-reset/request', { email });
const confirmReset = (token: string, password: string) =>
  api.post('/v1/auth/password-reset/confirm', { token, password });
/** A step-up token of the session for one proof. */
const stepUpOf = (of: Account, by: 'password' | 'passkey' = 'password') =>
  stepUpToken({ userId: of.id, sessionId: sessionIdOf(of) }, [by]);
const randomName = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`;

describe('the profile of an account', () => {
  const patch = (of: Account, body?: object) => api.as(of).patch('/v1/account', body);

  it('accepts a new name and null, and keeps the name when it is left out', async () => {
    const user = await account();
    const first = await patch(user, { name: 'Ada Lovelace' }).expect(200);
    expect(first.body).toEqual((await me(user)).body);
    expect(first.body).toMatchObject({ id: user.id, email: user.email, name: 'Ada Lovelace' });
    expect((await patch(user, { email: 'other@example.com' }).expect(200)).body).toEqual(first.body);
    expect((await patch(user).expect(200)).body).toEqual(first.body);
    expect((await patch(user, { name: null }).expect(200)).body).toMatchObject({ name: null });
    await patch(user, { name: null }).expect(200);
    const changes = (await securityEventTypes(user)).filter((type) => type === 'profile_updated');
    expect(changes).toHaveLength(2);
  });

  it.each([
    ['', 'string_too_short'],
    ['x'.repeat(201), 'string_too_long'],
    [5, 'string_type'],
    ['a\u0000b', 'value_error'],
    [' ', 'value_error'],
    ['\u200b', 'value_error'],
  ])('returns 422 for the name %j', async (name, type) => {
    const user = await account();
    const { body } = await patch(user, { name }).expect(422);
    expect((body as { detail: unknown[] }).detail).toEqual([expect.objectContaining({ type, loc: ['body', 'name'] })]);
  });
});

describe('a name', () => {
  it('is refused by every route that accepts one, when it is invisible or changes the text around it', async () => {
    const { owner, organizationId: organization_id, projectId: project_id } = await tenant();
    const asOwner = api.as(owner);
    const source = await asOwner
      .post('/v1/ingest-sources', { project_id, name: 'Shop', source_type: 'web_app' })
      .expect(201);
    const { id: sourceId } = source.body as { id: string };
    for (const [path, body] of [
      ['/v1/auth/register', { email: randomEmail(), password: PASSWORD }],
      ['/v1/organizations', { slug: 'unseen' }],
      ['/v1/projects', { organization_id, slug: 'unseen' }],
      [`/v1/projects/${project_id}/saved-views`, {}],
      ['/v1/api-keys', { project_id }],
      ['/v1/ingest-sources', { project_id }],
      [`/v1/ingest-sources/${sourceId}/keys`, {}],
      [`/v1/ingest-sources/${sourceId}/browser-keys`, {}],
      ['/v1/delivery/channels', { project_id }],
      ['/v1/alert-destinations', { project_id }],
      ['/v1/alert-rules', { project_id }],
      ['/v1/account/passkeys/register/verify', {}],
    ] as const) {
      for (const [name, msg] of [
        ['\u200b\u2800', 'Value error, name must have a visible character'],
        ...['a\nb', 'a\r', '\u001b[31ma', 'a\u2028b', 'a\u202eb', '\u2066a', 'a\u200f'].map((text) => [
          text,
          'Value error, name must not have control, line-end or bidirectional formatting characters',
        ]),
      ]) {
        const answer = await asOwner.post(path, { ...body, name }).expect(422);
        const { detail } = answer.body as { detail: { loc: string[]; msg: string; type: string }[] };
        const [issue] = detail.filter(({ loc }) => loc.join('.') === 'body.name');
        expect([path, issue?.type, issue?.msg]).toEqual([path, 'value_error', msg]);
      }
    }
  });
});

describe('a change of the password', () => {
  const CHANGE = { ...PROOF, password: NEW_PASSWORD };
  const change = (by: Account, body: object = CHANGE) => post('password/change', by, body);
  const changeByToken = (by: Account, token: string, password = NEW_PASSWORD) =>
    change(by, { password }).set('X-Step-Up-Token', token);

  it('requires the current password, ends the other sessions and mails the owner', async () => {
    const user = await registered();
    const other = await login(user.email);
    await change(user, { password: NEW_PASSWORD }).expect(403, WRONG);
    await change(user, { current_password: 'wrong', password: NEW_PASSWORD }).expect(403, WRONG);
    await me(other).expect(200);
    await change(user).expect(200, { message: 'The password is changed; other sessions are revoked' });
    await me(user).expect(200);
    await me(other).expect(401);
    await refresh(other.refreshToken).expect(401);
    await refresh(user.refreshToken).expect(200);
    await signIn(user.email).expect(401);
    await signIn(user.email, NEW_PASSWORD).expect(200);
    const mails = await mailsTo(user.email, 2);
    expect(mails[1]?.subject).toBe('Your password was changed');
    expect(await securityEventTypes(user)).toContain('password_changed');
  });

  it('accepts a step-up token of the same session in place of the current password', async () => {
    const [user, stranger] = [await account(), await account()];
    const other = await anotherSession(user);
    await changeByToken(user, await stepUpOf(other)).expect(403, WRONG);
    await changeByToken(user, await stepUpOf(stranger)).expect(403, WRONG);
    await changeByToken(user, 'made-up').expect(403, WRONG);
    const expired = await stepUpOf(user);
    await expireStepUpTokens(user.id);
    await changeByToken(user, expired).expect(403, WRONG);
    await changeByToken(user, await stepUpOf(user)).expect(200);
    await signIn(user.email, NEW_PASSWORD).expect(200);
  });

  it('sets the first password of an account without one, by a step-up token alone', async () => {
    const user = await account();
    await removePassword(user.id);
    await signIn(user.email).expect(401);
    await change(user).expect(403, { detail: 'Sign in again to confirm this change' });
    await changeByToken(user, await stepUpOf(user, 'passkey')).expect(200);
    await signIn(user.email, NEW_PASSWORD).expect(200);
  });

  it('checks the new password as a registration does', async () => {
    const user = await account();
    for (const password of ['short', 'password123', 'x'.repeat(129), user.email]) {
      const { body } = await change(user, { ...PROOF, password }).expect(422);
      expect((body as { detail: unknown[] }).detail).toEqual([
        expect.objectContaining({ loc: ['body', 'password'], input: '[redacted]' }),
      ]);
    }
    await signIn(user.email).expect(200);
  });

  it('makes a reset link invalid that was mailed before', async () => {
    const user = await registered();
    await requestReset(user.email).expect(200);
    const token = await mailedToken(user.email, 2);
    await change(user).expect(200);
    await confirmReset(token, 'somebody-elses-choice').expect(400);
  });

  it('happens once when 60 requests use a step-up token in parallel, and mails the owner once', async () => {
    const user = await account();
    const token = await stepUpOf(user);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, one) => changeByToken(user, token, `${NEW_PASSWORD}-${one}`)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => ![200, 403, 429].includes(status))).toEqual([]);
    for (const { status, body, headers } of answers) {
      if (status !== 429) continue;
      expect(body).toEqual({ detail: 'Too many requests at once' });
      expect(headers['retry-after']).toBe('1');
    }
    const accepted = statuses.indexOf(200);
    await signIn(user.email, `${NEW_PASSWORD}-${accepted}`).expect(200);
    await changeByToken(user, token).expect(403, WRONG);
    await noticesSent(user);
    const subjects = (await capturedMails(user.email)).map(({ subject }) => subject);
    expect(subjects.filter((subject) => subject === 'Your password was changed')).toHaveLength(1);
  });

  it('returns 429 after ten changes in an hour', async () => {
    const user = await account();
    await passwordChanges(user.id, 10);
    const answer = await change(user);
    expect([answer.status, answer.body]).toEqual([429, { detail: 'Too many password changes' }]);
    expect(answer.headers['retry-after']).toBe('3600');
    await signIn(user.email).expect(200);
  });

  it('returns 429 after ten guesses at the current password, without a lockout of the sign-in', async () => {
    const user = await account();
    const guess = (one: number) => change(user, { current_password: `guess-${one}`, password: NEW_PASSWORD });
    const answers = await Promise.all(Array.from({ length: 15 }, (_, one) => guess(one)));
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5);
    await change(user).expect(429, { detail: 'Too many failed sign-in attempts' });
    await signIn(user.email).expect(200);
  });

  it('fails when a reset ends its session at the same time', async () => {
    const user = await registered();
    await requestReset(user.email).expect(200);
    const token = await mailedToken(user.email, 2);
    const chosen = 'the-owners-own-choice';
    const [changed, confirmed] = await Promise.all([change(user), confirmReset(token, chosen)]);
    // The first one succeeds. The other finds that its session or its token has ended.
    expect([changed.status, confirmed.status]).toEqual(confirmed.status === 200 ? [401, 200] : [200, 400]);
    await signIn(user.email, confirmed.status === 200 ? chosen : NEW_PASSWORD).expect(200);
  });
});

describe('a change of the address', () => {
  const INVALID = { detail: 'Invalid or expired email change token' };
  const request = (by: Account, email: string, proof: object = PROOF) =>
    post('email-change/request', by, { email, ...proof });
  const confirm = (token: string) => api.post('/v1/account/email-change/confirm', { token });

  it('is confirmed at the new address, and reported to the old one', async () => {
    const user = await registered();
    const next = randomEmail();
    await request(user, next, {}).expect(403, WRONG);
    await request(user, next, { current_password: 'wrong' }).expect(403, WRONG);
    await request(user, next).expect(200);
    const [mail] = await mailsTo(next);
    const link = new URL(/https?:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    expect([link.pathname, [...link.searchParams.keys()]]).toEqual(['/confirm-email-change', ['token']]);
    await signIn(next).expect(401);
    expect((await me(user)).body).toMatchObject({ email: user.email });

    const token = await mailedToken(next);
    const answer = await confirm(token).expect(200);
    expect(answer.body).toEqual({ message: expect.any(String), email: next });
    expect((await me(user)).body).toMatchObject({ email: next, email_verified: true });
    await signIn(user.email).expect(401);
    await signIn(next.toUpperCase()).expect(200);
    const old = await mailsTo(user.email, 2);
    expect(old[1]?.subject).toBe('The e-mail address of your account was changed');
    await noticesSent(user);
    expect(await capturedMails(next)).toHaveLength(1);
    expect(await securityEventTypes(user)).toEqual(expect.arrayContaining(['email_changed', 'email_change_requested']));
    await confirm(token).expect(400, INVALID);
  });

  it('has the same answer for an address that is taken, and mails nobody', async () => {
    const [user, other] = [await account(), await registered()];
    const free = randomEmail();
    const answers = [await request(user, other.email.toUpperCase()), await request(user, free)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[0]?.body).toEqual(answers[1]?.body);
    await mailsTo(free);
    await mailRequestsHandled();
    expect(await capturedMails(free)).toHaveLength(1);
    expect(await capturedMails(other.email)).toHaveLength(1);
    expect(await capturedMails(other.email.toUpperCase())).toEqual([]);
  });

  it('accepts a step-up token in place of the password', async () => {
    const user = await account();
    const next = randomEmail();
    await request(user, next, {})
      .set('X-Step-Up-Token', await stepUpOf(user))
      .expect(200);
    await mailsTo(next);
  });

  it('returns 400 for a token that is wrong, expired, older than another or of another purpose', async () => {
    const user = await account();
    const [first, second] = [randomEmail(), randomEmail()];
    await request(user, first).expect(200);
    const older = await mailedToken(first);
    await request(user, second).expect(200);
    const newer = await mailedToken(second);
    await confirm('x'.repeat(43)).expect(400, INVALID);
    await confirm(older).expect(400, INVALID);
    await confirmReset(newer, NEW_PASSWORD).expect(400);
    await expireMailedTokensIn(user.email, 0);
    await confirm(newer).expect(400, INVALID);
    expect((await me(user)).body).toMatchObject({ email: user.email });
  });

  it('returns 400 when another account has taken the address since the request', async () => {
    const [user, rival] = [await account(), await account()];
    const next = randomEmail();
    await request(user, next).expect(200);
    const token = await mailedToken(next);
    await request(rival, next).expect(200);
    const tokenOfRival = await mailedToken(next, 2);
    const answers = await Promise.all([confirm(token), confirm(tokenOfRival)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(answers.find(({ status }) => status === 400)?.body).toEqual(INVALID);
  });

  it('happens once when 20 requests confirm it in parallel', async () => {
    const user = await account();
    const next = randomEmail();
    await request(user, next).expect(200);
    const token = await mailedToken(next);
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
  });

  it('makes a reset link invalid that was mailed to the old address', async () => {
    const user = await registered();
    const next = randomEmail();
    await requestReset(user.email).expect(200);
    const reset = await mailedToken(user.email, 2);
    await request(user, next).expect(200);
    await confirm(await mailedToken(next)).expect(200);
    await confirmReset(reset, NEW_PASSWORD).expect(400);
  });

  it('mails at most five addresses in an hour', async () => {
    const user = await account();
    const addresses = Array.from({ length: 7 }, randomEmail);
    for (const address of addresses.slice(0, 5)) {
      await request(user, address).expect(200);
      await mailsTo(address);
    }
    for (const address of addresses.slice(5)) await request(user, address).expect(200);
    await mailRequestsHandled();
    await ageMailedTokens(user.email, 3660);
    const last = randomEmail();
    await request(user, last).expect(200);
    await mailsTo(last);
    for (const address of addresses.slice(5)) expect(await capturedMails(address)).toEqual([]);
  });
});

describe('the security log of an account', () => {
  const EVENTS = '/v1/account/security-events';

  it('is paged with the newest event first, and has no event of another account', async () => {
    const [user, other] = [await account(), await account()];
    await anotherSession(user);
    const read = async (query?: object) =>
      (await api.as(user).get(EVENTS, query).expect(200)).body as {
        items: { id: string; created_at: string }[];
        total: number;
        limit: number;
        offset: number;
      };
    const all = await read();
    expect(all).toMatchObject({ total: 4, limit: 50, offset: 0 });
    expect(all.items[0]).toEqual({
      id: expect.any(String),
      type: 'signed_in',
      ip: '127.0.0.1',
      user_agent: null,
      created_at: expect.stringMatching(/Z$/),
      detail: { method: 'password', session_id: expect.any(String) },
    });
    const times = all.items.map((item) => item.created_at);
    expect(times).toEqual([...times].sort().reverse());
    const page = await read({ limit: 2, offset: 1 });
    expect(page).toEqual({ items: all.items.slice(1, 3), total: 4, limit: 2, offset: 1 });
    expect((await read({ offset: 10 })).items).toEqual([]);
    const others = (await securityEvents(other)).map(({ id }) => id);
    expect(all.items.filter(({ id }) => others.includes(id))).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'offset=-1', 'limit=x'])('returns 422 for %s', async (query) => {
    await api
      .as(await account())
      .get(`${EVENTS}?${query}`)
      .expect(422);
  });
});

describe('a mail about the security of an account', () => {
  it('names the program from a list, and never repeats what a stranger sent', async () => {
    const user = await account();
    const words = 'URGENT your account was hacked. Restore it at https://evil.example/x';
    await failedSignIns(user.email, 29);
    await signIn(user.email, 'wrong-guess').set('User-Agent', words).expect(401);
    const [mail] = await mailsAbout(user.email, 'Too many failed sign-in attempts');
    expect(mail?.text).toContain('Program: an unknown program');
    expect(mail?.text).toContain('Address: 127.0.0.1');
    expect(mail?.text).not.toMatch(/URGENT|evil/);
    const event = (await securityEvents(user)).find(({ type }) => type === 'sign_in_locked');
    expect(event?.user_agent).toBe(words);
  });

  it('is sent by maintenance when its process has ended before, at most one a minute for all events of a type', async () => {
    const SUBJECT = 'A passkey was added to your account';
    const user = await account();
    // Maintenance sends mails after its round, the oldest first and two at a time. It comes to these three after the account.
    const maintain = async (): Promise<void> => {
      const later = [await account(), await account(), await account()];
      for (const one of later) await dueNotices(one, 1);
      await job('maintenance');
      for (const { email } of later) await mailsAbout(email, SUBJECT);
    };
    await dueNotices(user, 3);
    await maintain();
    const notices = await mailsAbout(user.email, SUBJECT);
    expect(notices.map(({ text }) => text)).toEqual([expect.stringContaining('This happened 3 times')]);
    await dueNotices(user, 1);
    await maintain();
    expect(await mailsAbout(user.email, SUBJECT)).toHaveLength(1);
    await setNoticeAge(user.id, 61);
    await maintain();
    await mailsAbout(user.email, SUBJECT, 2);
    await maintain();
    expect(await mailsAbout(user.email, SUBJECT, 2)).toHaveLength(2);
  });
});

describe('the deletion of an account', () => {
  let payments: Payments;

  beforeAll(async () => {
    payments = await startPayments();
  });

  const remove = (of: Account, body: object = PROOF) => post('delete', of, body);

  it('requires the password or a step-up token', async () => {
    const user = await account();
    await remove(user, {}).expect(403, WRONG);
    await remove(user, { current_password: 'wrong' }).expect(403, WRONG);
    await me(user).expect(200);
    await api
      .as(user)
      .post('/v1/account/delete')
      .set('X-Step-Up-Token', await stepUpOf(user))
      .expect(200);
    await me(user).expect(401);
  });

  it('returns 409 while the account owns an organization', async () => {
    const { owner } = await tenant();
    await remove(owner).expect(409, { detail: OWNS });
    await me(owner).expect(200);
  });

  it('deletes the organizations of the account, their projects and keys on request', async () => {
    const [acme, globex] = [await tenant(), await tenant()];
    const asGuest = api.as(globex.owner);
    const organization = await api.as(acme.owner).get(`/v1/organizations/${acme.organizationId}`).expect(200);
    const { slug } = organization.body as { slug: string };
    await api.as(acme.key).post('/v1/events/ingest', { event_type: 'order.created', source: 'shop' }).expect(200);
    const customerId = payments.addCustomer();
    await setPaymentCustomer(acme.organizationId, customerId);
    for (const delete_organizations of [false, null]) {
      await remove(acme.owner, { ...PROOF, delete_organizations }).expect(409, { detail: OWNS });
    }
    for (const delete_organizations of ['perhaps', 5, {}]) {
      await remove(acme.owner, { ...PROOF, delete_organizations }).expect(422);
    }
    await remove(acme.owner, { ...PROOF, delete_organizations: true }).expect(200);

    await me(acme.owner).expect(401);
    for (const path of ['/v1/usage/current', '/v1/api-keys/me']) await api.as(acme.key).get(path).expect(401);
    await asGuest.get(`/v1/organizations/${acme.organizationId}`).expect(404, { detail: 'Organization not found' });
    await asGuest.get(`/v1/projects/${acme.projectId}`).expect(404, { detail: 'Project not found' });
    await setPlan(globex.organizationId, 'scale');
    await asGuest.post('/v1/organizations', { name: 'Again', slug }).expect(201);
    await eventually(
      async () => {
        await job('maintenance');
        return payments.customers.get(customerId);
      },
      (kept) => kept?.deleted === true,
    );
    await asGuest.get(`/v1/projects/${globex.projectId}`).expect(200);
  });

  it('returns 409 with the organizations that have to stay, and deletes none then', async () => {
    const acme = await tenant();
    const { owner, organizationId } = acme;
    await setPlan(organizationId, 'enterprise');
    const create = async (name: string): Promise<string> => {
      const answer = await api
        .as(owner)
        .post('/v1/organizations', { name, slug: randomName('org') })
        .expect(201);
      return (answer.body as { id: string }).id;
    };
    const shared = await create('Shared');
    const paying = await create('Paying');
    const member = await account();
    await memberOf({ organizationId: shared, projectId: acme.projectId }, member.id, 'viewer');
    const pastDue = randomName('sub');
    await subscription({ id: pastDue, organizationId: paying, status: 'past_due', wasPaid: true });
    await subscription({ id: randomName('sub'), organizationId, status: 'incomplete', wasPaid: false });
    await subscription({ id: randomName('sub'), organizationId, status: 'canceled', wasPaid: true });
    const wanted = { ...PROOF, delete_organizations: true };
    await remove(owner, { ...wanted, current_password: 'wrong' }).expect(403);
    await remove(owner, wanted).expect(409, {
      detail: `${OWNS}: Shared (other members), Paying (running subscription)`,
    });
    for (const id of [organizationId, shared, paying]) {
      await api.as(owner).get(`/v1/organizations/${id}`).expect(200);
    }
    await cancelSubscription(pastDue);
    await remove(owner, wanted).expect(409, { detail: `${OWNS}: Shared (other members)` });
    await remove(member).expect(200);
    const answers = await Promise.all(Array.from({ length: 4 }, () => remove(owner, wanted)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(await remainingOrganizations([organizationId, shared, paying])).toEqual([]);
  });

  it('leaves nobody in an organization that is deleted while somebody joins it', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { owner, organizationId } = await tenant();
      const guest = await account();
      const invitation = await api
        .as(owner)
        .post(`/v1/organizations/${organizationId}/invites`, { email: guest.email })
        .expect(201);
      const { id } = invitation.body as { id: string };
      const [joined, deleted] = await Promise.all([
        api.as(guest).post(`/v1/organizations/invites/${id}/accept`, {}),
        remove(owner, { ...PROOF, delete_organizations: true }),
      ]);
      expect([joined.status, deleted.status]).toEqual(joined.status === 200 ? [200, 409] : [404, 200]);
    }
  });

  it('ends all sessions, gives projects in the organizations of others to their owners, and is reported by mail', async () => {
    const acme = await tenant();
    await setPlan(acme.organizationId, 'enterprise');
    const admin = await acme.admin();
    const create = async (path: string, body: object) =>
      (await api.as(admin).post(path, body).expect(201)).body as { id: string; key: string };
    const { id: projectId } = await create('/v1/projects', {
      organization_id: acme.organizationId,
      name: 'Of the admin',
      slug: randomName('project'),
    });
    const { key: apiKey } = await create('/v1/api-keys', { project_id: projectId, name: 'Of the admin' });
    const second = await anotherSession(admin);

    await remove(admin).expect(200);
    for (const session of [admin, second]) await me(session).expect(401, { detail: 'Not authenticated' });
    await refresh(admin.refreshToken).expect(401);
    await signIn(admin.email).expect(401, { detail: 'Incorrect email or password' });
    const { body } = await api.as(acme.owner).get(`/v1/projects/${projectId}`).expect(200);
    expect(body).toMatchObject({ owner_id: acme.owner.id });
    await api.as({ apiKey }).get('/v1/api-keys/me').expect(200);
    await mailsAbout(admin.email, 'Your account was closed');
  });

  it('leaves the address free for a new account', async () => {
    const user = await account();
    await remove(user).expect(200);
    await api.post('/v1/auth/register', { email: user.email, password: NEW_PASSWORD }).expect(201);
    await requestReset(user.email).expect(200);
    const accounts = await accountsWithAddress(user.email);
    expect(accounts).toHaveLength(1);
    expect(accounts).not.toContain(user.id);
  });

  it('happens once when five requests and the creation of an organization come in parallel', async () => {
    const user = await account();
    const deletions = Array.from({ length: 5 }, () => remove(user));
    const organization = api.as(user).post('/v1/organizations', { name: 'Race', slug: `race-${user.id}` });
    const [created, ...answers] = await Promise.all([organization, ...deletions]);
    const statuses = answers.map(({ status }) => status);
    if (created.status === 201) expect(statuses).toEqual(Array(5).fill(409));
    else expect([created.status, ...statuses].sort()).toEqual(expect.arrayContaining([200, 401]));
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
  });
});
