import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ProofMethod } from '../../../src/modules/identity/proof/index.js';
import { SecurityNoticesRepository } from '../../../src/modules/identity/security-events/security-notices.repository.js';
import {
  type Actor,
  addMember,
  login,
  ownerWithProject,
  PASSWORD,
  randomEmail,
  registered,
  signedIn,
} from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { eventually } from '../../support/eventually.js';
import { failedSignIns } from '../../support/failed-sign-ins.js';
import { mailsTo, tokenIn, waitForMails } from '../../support/outbox.js';
import { stepUpOf as showing } from '../../support/second-factors.js';
import { securityEvents, securityEventTypes } from '../../support/security-events.js';

const NEW_PASSWORD = 'difference-engine-no-2';
const TOKEN = 'internal-job-token-of-the-test';
const WRONG = { detail: 'Incorrect password' };

describe('an account', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp({ env: { INTERNAL_JOB_TOKEN: TOKEN, PROCESS_ROLE: 'api' } });
  });
  afterAll(() => app.close());

  const post = (path: string, actor: Pick<Actor, 'bearer'>, body: object = {}) =>
    app.request().post(`/v1/account/${path}`).set('Authorization', actor.bearer).send(body);
  const me = (actor: Pick<Actor, 'bearer'>) => app.request().get('/v1/auth/me').set('Authorization', actor.bearer);
  const signIn = (email: string, password: string) =>
    app.request().post('/v1/auth/login').type('form').send({ username: email, password });
  const stepUpOf = ({ bearer }: Actor, by: ProofMethod = 'password') => showing(app, bearer, [by]);

  describe('profile', () => {
    const patch = ({ bearer }: Actor, body?: object) => {
      const request = app.request().patch('/v1/account').set('Authorization', bearer);
      return body === undefined ? request : request.send(body);
    };

    it('takes a new name and null, and keeps it when it is left out', async () => {
      const actor = await signedIn(app);
      const first = await patch(actor, { name: 'Ada Lovelace' }).expect(200);
      expect(first.body).toEqual((await me(actor)).body);
      expect(first.body).toMatchObject({ id: actor.id, email: actor.email, name: 'Ada Lovelace' });
      expect((await patch(actor, { email: 'other@example.com' }).expect(200)).body).toEqual(first.body);
      expect((await patch(actor).expect(200)).body).toEqual(first.body);
      expect((await patch(actor, { name: null }).expect(200)).body).toMatchObject({ name: null });
      await patch(actor, { name: null }).expect(200);
      const changes = (await securityEventTypes(app, actor.bearer)).filter((type) => type === 'profile_updated');
      expect(changes).toHaveLength(2);
    });

    it.each([
      ['', 'string_too_short'],
      ['x'.repeat(201), 'string_too_long'],
      [5, 'string_type'],
      ['a\u0000b', 'value_error'],
      [' ', 'value_error'],
      ['\u200b', 'value_error'],
    ])('refuses the name %j', async (name, type) => {
      const actor = await signedIn(app);
      const { body } = await patch(actor, { name }).expect(422);
      expect((body as { detail: unknown[] }).detail).toEqual([
        expect.objectContaining({ type, loc: ['body', 'name'] }),
      ]);
    });
  });

  it('meets nothing in its lists whose name cannot be seen or steers the text around it', async () => {
    const owner = await ownerWithProject(app);
    const { organizationId: organization_id, projectId: project_id } = owner;
    const send = (path: string, body: object) => app.request().post(path).set('Authorization', owner.bearer).send(body);
    const source = await send('/v1/ingest-sources', { project_id, name: 'Shop', source_type: 'web_app' }).expect(201);
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
        const answer = await send(path, { ...body, name }).expect(422);
        const { detail } = answer.body as { detail: { loc: string[]; msg: string; type: string }[] };
        const [issue] = detail.filter(({ loc }) => loc.join('.') === 'body.name');
        expect([path, issue?.type, issue?.msg]).toEqual([path, 'value_error', msg]);
      }
    }
  });

  describe('password change', () => {
    it('needs the current one, ends the other sessions and tells the owner', async () => {
      const actor = await registered(app);
      const other = await login(app, actor.email);
      await post('password/change', actor, { password: NEW_PASSWORD }).expect(403, WRONG);
      await post('password/change', actor, { current_password: 'wrong', password: NEW_PASSWORD }).expect(403, WRONG);
      await me(other).expect(200);
      const change = { current_password: PASSWORD, password: NEW_PASSWORD };
      await post('password/change', actor, change).expect(200, {
        message: 'The password is changed; other sessions are revoked',
      });
      await me(actor).expect(200);
      await me(other).expect(401);
      await app.request().post('/v1/auth/refresh').send({ refresh_token: other.refreshToken }).expect(401);
      await app.request().post('/v1/auth/refresh').send({ refresh_token: actor.refreshToken }).expect(200);
      await signIn(actor.email, PASSWORD).expect(401);
      await signIn(actor.email, NEW_PASSWORD).expect(200);
      const mails = await waitForMails(app.dataDir, actor.email, 2);
      expect(mails[1]?.subject).toBe('Your password was changed');
      expect(await securityEventTypes(app, actor.bearer)).toContain('password_changed');
    });

    it('takes a step-up token of this very session in place of the current password', async () => {
      const [actor, stranger] = [await signedIn(app), await signedIn(app)];
      const other = await login(app, actor.email);
      const change = (token: string) =>
        post('password/change', actor, { password: NEW_PASSWORD }).set('X-Step-Up-Token', token);
      await change(await stepUpOf(other)).expect(403, WRONG);
      await change(await stepUpOf(stranger)).expect(403, WRONG);
      await change('made-up').expect(403, WRONG);
      const expired = await stepUpOf(actor);
      await app.rows(`UPDATE step_up_tokens SET expires_at = now()`);
      await change(expired).expect(403, WRONG);
      await change(await stepUpOf(actor)).expect(200);
      await signIn(actor.email, NEW_PASSWORD).expect(200);
    });

    it('sets the first password of an account without one, by a step-up token alone', async () => {
      const actor = await signedIn(app);
      await app.rows('UPDATE users SET password_hash = NULL WHERE id = $1', [actor.id]);
      await signIn(actor.email, PASSWORD).expect(401);
      const body = { current_password: PASSWORD, password: NEW_PASSWORD };
      await post('password/change', actor, body).expect(403, { detail: 'Sign in again to confirm this change' });
      await post('password/change', actor, { password: NEW_PASSWORD })
        .set('X-Step-Up-Token', await stepUpOf(actor, 'passkey'))
        .expect(200);
      await signIn(actor.email, NEW_PASSWORD).expect(200);
    });

    it('judges the new password as registration does', async () => {
      const actor = await signedIn(app);
      for (const password of ['short', 'password123', 'x'.repeat(129), actor.email]) {
        const { body } = await post('password/change', actor, { current_password: PASSWORD, password }).expect(422);
        expect((body as { detail: unknown[] }).detail).toEqual([
          expect.objectContaining({ loc: ['body', 'password'], input: '[redacted]' }),
        ]);
      }
      await signIn(actor.email, PASSWORD).expect(200);
    });

    it('takes a reset link that was mailed before out of use', async () => {
      const actor = await registered(app);
      await app.request().post('/v1/auth/password-reset/request').send({ email: actor.email }).expect(200);
      const token = tokenIn((await waitForMails(app.dataDir, actor.email, 2))[1] as never);
      await post('password/change', actor, { current_password: PASSWORD, password: NEW_PASSWORD }).expect(200);
      await app
        .request()
        .post('/v1/auth/password-reset/confirm')
        .send({ token, password: 'somebody-elses-choice' })
        .expect(400);
    });

    it('happens once for a step-up token, however many come at the same time, and tells its owner once', async () => {
      const actor = await signedIn(app);
      const token = await stepUpOf(actor);
      const answers = await Promise.all(
        Array.from({ length: 60 }, (_, one) =>
          post('password/change', actor, { password: `${NEW_PASSWORD}-${one}` }).set('X-Step-Up-Token', token),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(statuses.filter((status) => ![200, 403, 429].includes(status))).toEqual([]);
      for (const { status, body, headers } of answers) {
        if (status !== 429) continue;
        expect(body).toEqual({ detail: 'Too many requests at once' });
        expect(headers['retry-after']).toBe('1');
      }
      const won = statuses.indexOf(200);
      await signIn(actor.email, `${NEW_PASSWORD}-${won}`).expect(200);
      await post('password/change', actor, { password: NEW_PASSWORD }).set('X-Step-Up-Token', token).expect(403, WRONG);
      await app.backgroundDone();
      const subjects = (await mailsTo(app.dataDir, actor.email)).map(({ subject }) => subject);
      expect(subjects.filter((subject) => subject === 'Your password was changed')).toHaveLength(1);
    });

    it('is taken ten times an hour', async () => {
      const actor = await signedIn(app);
      await app.rows(
        `INSERT INTO security_events (id, user_id, type) SELECT gen_random_uuid(), $1, 'password_changed'
         FROM generate_series(1, 10)`,
        [actor.id],
      );
      const answer = await post('password/change', actor, { current_password: PASSWORD, password: NEW_PASSWORD });
      expect([answer.status, answer.body]).toEqual([429, { detail: 'Too many password changes' }]);
      expect(answer.headers['retry-after']).toBe('3600');
      await signIn(actor.email, PASSWORD).expect(200);
    });

    it('stops guesses at the current password after ten, without locking the sign-in', async () => {
      const actor = await signedIn(app);
      const guess = (one: number) =>
        post('password/change', actor, { current_password: `guess-${one}`, password: NEW_PASSWORD });
      const answers = await Promise.all(Array.from({ length: 15 }, (_, one) => guess(one)));
      expect(answers.filter((answer) => answer.status === 403)).toHaveLength(10);
      expect(answers.filter((answer) => answer.status === 429)).toHaveLength(5);
      const right = { current_password: PASSWORD, password: NEW_PASSWORD };
      await post('password/change', actor, right).expect(429, { detail: 'Too many failed sign-in attempts' });
      await signIn(actor.email, PASSWORD).expect(200);
    });

    it('is not done for a session that ends meanwhile', async () => {
      const actor = await registered(app);
      await app.request().post('/v1/auth/password-reset/request').send({ email: actor.email }).expect(200);
      const token = tokenIn((await waitForMails(app.dataDir, actor.email, 2))[1] as never);
      const reset = { token, password: 'the-owners-own-choice' };
      const [changed, confirmed] = await Promise.all([
        post('password/change', actor, { current_password: PASSWORD, password: NEW_PASSWORD }),
        app.request().post('/v1/auth/password-reset/confirm').send(reset),
      ]);
      // Whichever is first wins; the other finds its session or its token gone.
      expect([changed.status, confirmed.status]).toEqual(confirmed.status === 200 ? [401, 200] : [200, 400]);
      await signIn(actor.email, confirmed.status === 200 ? reset.password : NEW_PASSWORD).expect(200);
    });
  });

  describe('e-mail change', () => {
    const ask = (actor: Actor, email: string, proof: object = { current_password: PASSWORD }) =>
      post('email-change/request', actor, { email, ...proof });
    const confirm = (token: string) => app.request().post('/v1/account/email-change/confirm').send({ token });
    const INVALID = { detail: 'Invalid or expired email change token' };

    it('is confirmed at the new address and announced to the old one', async () => {
      const actor = await registered(app);
      const next = randomEmail();
      await ask(actor, next, {}).expect(403, WRONG);
      await ask(actor, next, { current_password: 'wrong' }).expect(403, WRONG);
      await ask(actor, next).expect(200);
      const [mail] = await waitForMails(app.dataDir, next, 1);
      const link = new URL(/https?:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? '');
      expect([link.pathname, [...link.searchParams.keys()]]).toEqual(['/confirm-email-change', ['token']]);
      await signIn(next, PASSWORD).expect(401);
      expect((await me(actor)).body).toMatchObject({ email: actor.email });

      const answer = await confirm(tokenIn(mail as never)).expect(200);
      expect(answer.body).toEqual({ message: expect.any(String), email: next });
      expect((await me(actor)).body).toMatchObject({ email: next, email_verified: true });
      await signIn(actor.email, PASSWORD).expect(401);
      await signIn(next.toUpperCase(), PASSWORD).expect(200);
      const old = await waitForMails(app.dataDir, actor.email, 2);
      expect(old[1]?.subject).toBe('The e-mail address of your account was changed');
      expect(await mailsTo(app.dataDir, next)).toHaveLength(1);
      const types = await securityEventTypes(app, actor.bearer);
      expect(types).toEqual(expect.arrayContaining(['email_changed', 'email_change_requested']));
      await confirm(tokenIn(mail as never)).expect(400, INVALID);
    });

    it('answers the same for an address that is taken, and mails nobody', async () => {
      const [actor, other] = [await signedIn(app), await registered(app)];
      const free = randomEmail();
      const answers = [await ask(actor, other.email.toUpperCase()), await ask(actor, free)];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(answers[0]?.body).toEqual(answers[1]?.body);
      await app.backgroundDone();
      expect(await mailsTo(app.dataDir, free)).toHaveLength(1);
      expect(await mailsTo(app.dataDir, other.email)).toHaveLength(1);
      expect(await mailsTo(app.dataDir, other.email.toUpperCase())).toEqual([]);
    });

    it('takes a step-up token in place of the password', async () => {
      const actor = await signedIn(app);
      const next = randomEmail();
      await ask(actor, next, {})
        .set('X-Step-Up-Token', await stepUpOf(actor))
        .expect(200);
      await waitForMails(app.dataDir, next, 1);
    });

    it('refuses a token that is wrong, expired, older than another or of another purpose', async () => {
      const actor = await signedIn(app);
      const [first, second] = [randomEmail(), randomEmail()];
      await ask(actor, first).expect(200);
      const older = tokenIn((await waitForMails(app.dataDir, first, 1))[0] as never);
      await ask(actor, second).expect(200);
      const newer = tokenIn((await waitForMails(app.dataDir, second, 1))[0] as never);
      await confirm('x'.repeat(43)).expect(400, INVALID);
      await confirm(older).expect(400, INVALID);
      await app
        .request()
        .post('/v1/auth/password-reset/confirm')
        .send({ token: newer, password: NEW_PASSWORD })
        .expect(400);
      await app.rows(`UPDATE user_tokens SET expires_at = now() WHERE purpose = 'change_email'`);
      await confirm(newer).expect(400, INVALID);
      expect((await me(actor)).body).toMatchObject({ email: actor.email });
    });

    it('is refused when somebody else has taken the address meanwhile', async () => {
      const [actor, rival] = [await signedIn(app), await signedIn(app)];
      const next = randomEmail();
      await ask(actor, next).expect(200);
      const token = tokenIn((await waitForMails(app.dataDir, next, 1))[0] as never);
      await ask(rival, next).expect(200);
      const rivals = tokenIn((await waitForMails(app.dataDir, next, 2))[1] as never);
      const answers = await Promise.all([confirm(token), confirm(rivals)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
      expect(answers.find(({ status }) => status === 400)?.body).toEqual(INVALID);
    });

    it('happens once when 20 confirmations race', async () => {
      const actor = await signedIn(app);
      const next = randomEmail();
      await ask(actor, next).expect(200);
      const token = tokenIn((await waitForMails(app.dataDir, next, 1))[0] as never);
      const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(token)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    });

    it('takes a reset link mailed to the old address out of use', async () => {
      const actor = await registered(app);
      const next = randomEmail();
      await app.request().post('/v1/auth/password-reset/request').send({ email: actor.email }).expect(200);
      const reset = tokenIn((await waitForMails(app.dataDir, actor.email, 2))[1] as never);
      await ask(actor, next).expect(200);
      await confirm(tokenIn((await waitForMails(app.dataDir, next, 1))[0] as never)).expect(200);
      await app
        .request()
        .post('/v1/auth/password-reset/confirm')
        .send({ token: reset, password: NEW_PASSWORD })
        .expect(400);
    });

    it('mails at most five addresses an hour', async () => {
      const actor = await signedIn(app);
      const addresses = Array.from({ length: 7 }, randomEmail);
      for (const address of addresses.slice(0, 5)) {
        await ask(actor, address).expect(200);
        await waitForMails(app.dataDir, address, 1);
      }
      for (const address of addresses.slice(5)) await ask(actor, address).expect(200);
      await app.backgroundDone();
      await app.rows(`UPDATE user_tokens SET created_at = now() - interval '61 minutes' WHERE user_id = $1`, [
        actor.id,
      ]);
      const last = randomEmail();
      await ask(actor, last).expect(200);
      await waitForMails(app.dataDir, last, 1);
      for (const address of addresses.slice(5)) expect(await mailsTo(app.dataDir, address)).toEqual([]);
    });
  });

  describe('the security log', () => {
    it('is paged, newest first, and shows nobody else’s', async () => {
      const [actor, other] = [await signedIn(app), await signedIn(app)];
      await login(app, actor.email);
      const read = async (query: string) =>
        (await app.request().get(`/v1/account/security-events${query}`).set('Authorization', actor.bearer).expect(200))
          .body as { items: { id: string; created_at: string }[]; total: number; limit: number; offset: number };
      const all = await read('');
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
      const page = await read('?limit=2&offset=1');
      expect(page).toEqual({ items: all.items.slice(1, 3), total: 4, limit: 2, offset: 1 });
      expect((await read('?offset=10')).items).toEqual([]);
      const others = (await securityEvents(app, other.bearer)).map(({ id }) => id);
      expect(all.items.filter(({ id }) => others.includes(id))).toEqual([]);
    });

    it.each(['limit=0', 'limit=101', 'offset=-1', 'limit=x'])('refuses %s', async (query) => {
      const { bearer } = await signedIn(app);
      await app.request().get(`/v1/account/security-events?${query}`).set('Authorization', bearer).expect(422);
    });
  });

  describe('mails about an account', () => {
    it('name the program from a list and never repeat what a stranger sent', async () => {
      const actor = await signedIn(app);
      const words = 'URGENT your account was hacked. Restore it at https://evil.example/x';
      await failedSignIns(app, actor.email, 29);
      await signIn(actor.email, 'wrong-guess').set('User-Agent', words).expect(401);
      await app.backgroundDone();
      const mails = await mailsTo(app.dataDir, actor.email);
      const mail = mails.find(({ subject }) => subject === 'Too many failed sign-in attempts');
      expect(mail?.text).toContain('Program: an unknown program');
      expect(mail?.text).toContain('Address: 127.0.0.1');
      expect(mail?.text).not.toMatch(/URGENT|evil/);
      const [event] = await app.rows<{ user_agent: string }>(
        `SELECT user_agent FROM security_events WHERE user_id = $1 AND type = 'sign_in_locked'`,
        [actor.id],
      );
      expect(event?.user_agent).toBe(words);
    });

    it('are sent by maintenance when the process that owed them has died, one for all of a kind', async () => {
      const actor = await signedIn(app);
      await app.backgroundDone();
      await app.rows(
        `INSERT INTO security_events (id, user_id, type, ip, notice_to)
         SELECT gen_random_uuid(), $1, 'passkey_added', '192.0.2.7', $2 FROM generate_series(1, 3)`,
        [actor.id, actor.email],
      );
      const maintain = async (): Promise<void> => {
        await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
        await app.backgroundDone();
      };
      const notices = async () =>
        (await mailsTo(app.dataDir, actor.email)).filter(({ subject }) => subject?.startsWith('A passkey was added'));
      await maintain();
      expect((await notices()).map(({ text }) => text)).toEqual([expect.stringContaining('This happened 3 times')]);
      await app.rows(
        `INSERT INTO security_events (id, user_id, type, notice_to)
         VALUES (gen_random_uuid(), $1, 'passkey_added', $2)`,
        [actor.id, actor.email],
      );
      await maintain();
      expect(await notices()).toHaveLength(1);
      await app.rows(`UPDATE security_events SET notice_at = now() - interval '61 seconds' WHERE user_id = $1`, [
        actor.id,
      ]);
      await maintain();
      await maintain();
      expect(await notices()).toHaveLength(2);
    });

    it('are one a minute of a kind, however many processes look for them while more comes', async () => {
      const due = app.nest.get(SecurityNoticesRepository);
      const { id, email } = await signedIn(app);
      await app.backgroundDone();
      const happen = () =>
        app.rows(
          `INSERT INTO security_events (id, user_id, type, notice_to) VALUES (gen_random_uuid(), $1, 'passkey_added', $2)`,
          [id, email],
        );
      for (let round = 0; round < 15; round += 1) {
        await happen();
        const racing = await Promise.all([due.claim(id), happen(), due.claim(id), happen(), due.claim(id), happen()]);
        const claims = [racing[0], racing[2], racing[4], await due.claim(id)];
        expect(claims.filter((claimed) => claimed.length > 0)).toHaveLength(1);
        await app.rows('DELETE FROM security_events WHERE user_id = $1', [id]);
      }
    });

    it('reach who was never told before those whose mails have failed for hours', async () => {
      await app.rows(
        `WITH failing AS (
           INSERT INTO users (id, email, email_key)
           SELECT gen_random_uuid(), address, address
           FROM (SELECT format('failing-%s@example.com', n) AS address FROM generate_series(1, 200) n) addresses
           RETURNING id, email
         )
         INSERT INTO security_events (id, user_id, type, notice_to, created_at, notice_at)
         SELECT gen_random_uuid(), id, 'passkey_added', email, now() - interval '5 hours', now() - interval '2 minutes'
         FROM failing`,
      );
      const { id, email } = await signedIn(app);
      await app.backgroundDone();
      await app.rows(
        `INSERT INTO security_events (id, user_id, type, notice_to) VALUES (gen_random_uuid(), $1, 'passkey_added', $2)`,
        [id, email],
      );
      expect((await app.nest.get(SecurityNoticesRepository).accounts())[0]).toBe(id);
      await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
      await app.backgroundDone();
      const mails = await mailsTo(app.dataDir, email);
      expect(mails.map(({ subject }) => subject)).toContain('A passkey was added to your account');
      await app.rows(`DELETE FROM users WHERE email LIKE 'failing-%'`);
    });
  });

  describe('deletion', () => {
    it('needs the password or a step-up token', async () => {
      const actor = await signedIn(app);
      await post('delete', actor).expect(403, WRONG);
      await post('delete', actor, { current_password: 'wrong' }).expect(403, WRONG);
      await me(actor).expect(200);
      await app
        .request()
        .post('/v1/account/delete')
        .set('Authorization', actor.bearer)
        .set('X-Step-Up-Token', await stepUpOf(actor))
        .expect(200);
      await me(actor).expect(401);
    });

    it('is refused while the account owns an organization', async () => {
      const owner = await ownerWithProject(app);
      await post('delete', owner, { current_password: PASSWORD }).expect(409, {
        detail: 'Account owns an organization',
      });
      await me(owner).expect(200);
    });

    it('deletes the organizations of the account with it when asked to, projects and all', async () => {
      const owner = await ownerWithProject(app);
      const guest = await ownerWithProject(app);
      const [{ slug } = { slug: '' }] = await app.rows<{ slug: string }>(
        'SELECT slug FROM organizations WHERE id = $1',
        [owner.organizationId],
      );
      await app
        .request()
        .post('/v1/events/ingest')
        .set('X-API-Key', owner.apiKey)
        .send({ event_type: 'order.created', source: 'shop' })
        .expect(200);
      const invited = randomEmail();
      await app
        .request()
        .post(`/v1/organizations/${owner.organizationId}/invites`)
        .set('Authorization', owner.bearer)
        .send({ email: invited })
        .expect(201);
      await app.rows(`UPDATE organizations SET payment_customer_id = 'cus_of_deleted' WHERE id = $1`, [
        owner.organizationId,
      ]);
      for (const delete_organizations of [false, null])
        await post('delete', owner, { current_password: PASSWORD, delete_organizations }).expect(409, {
          detail: 'Account owns an organization',
        });
      for (const delete_organizations of ['perhaps', 5, {}])
        await post('delete', owner, { current_password: PASSWORD, delete_organizations }).expect(422);
      await post('delete', owner, { current_password: PASSWORD, delete_organizations: true }).expect(200);

      await me(owner).expect(401);
      for (const path of ['/v1/usage/current', '/v1/api-keys/me'])
        await app.request().get(path).set('X-API-Key', owner.apiKey).expect(401);
      const of = (path: string) => app.request().get(path).set('Authorization', guest.bearer);
      await of(`/v1/organizations/${owner.organizationId}`).expect(404, { detail: 'Organization not found' });
      await of(`/v1/projects/${owner.projectId}`).expect(404, { detail: 'Project not found' });
      await app.rows('UPDATE organizations SET plan = $2 WHERE id = $1', [guest.organizationId, 'scale']);
      await app
        .request()
        .post('/v1/organizations')
        .set('Authorization', guest.bearer)
        .send({ name: 'Again', slug })
        .expect(201);
      expect(await app.rows(`SELECT customer_id FROM payment_customer_removals`)).toEqual([
        { customer_id: 'cus_of_deleted' },
      ]);
      expect(await tablesWith(owner.email)).toEqual([]);
      expect(await tablesWith(invited)).toEqual([]);

      // A round that comes after the caches of all instances have let go, and after the month whose usage stays.
      await app.rows(`UPDATE usage_daily SET day = day - 31 WHERE project_id = $1`, [owner.projectId]);
      await app.rows(`UPDATE projects SET deleted_at = now() - interval '2 minutes' WHERE deleted_at IS NOT NULL`);
      await app.rows(`UPDATE organizations SET deleted_at = now() - interval '2 minutes' WHERE deleted_at IS NOT NULL`);
      await eventually(
        async () => {
          await app.request().post('/internal/jobs/maintenance').set('X-Internal-Token', TOKEN).expect(200);
          return tablesWith(owner.organizationId);
        },
        (tables) => tables.join() === 'audit_events',
      );
      expect(await tablesWith(owner.projectId)).toEqual(['audit_events']);
      expect(await tablesWith(owner.id)).toEqual(['audit_events']);
      const acts = await app.rows<{ action: string }>('SELECT action FROM audit_events WHERE actor_user_id = $1', [
        owner.id,
      ]);
      expect(acts.map(({ action }) => action)).toEqual(
        expect.arrayContaining(['account.deleted', 'organization.deleted', 'project.deleted']),
      );
      await of(`/v1/projects/${guest.projectId}`).expect(200);
    });

    it('names the organizations that have to stay, and deletes none then', async () => {
      const owner = await ownerWithProject(app);
      await app.rows(`UPDATE organizations SET plan = 'enterprise', name = 'Alone' WHERE id = $1`, [
        owner.organizationId,
      ]);
      const made = async (name: string): Promise<string> => {
        const answer = await app
          .request()
          .post('/v1/organizations')
          .set('Authorization', owner.bearer)
          .send({ name, slug: randomEmail().split('@')[0] })
          .expect(201);
        return (answer.body as { id: string }).id;
      };
      const shared = await made('Shared');
      const paying = await made('Paying');
      const member = await addMember(
        app,
        { ...owner, organizationId: shared as typeof owner.organizationId },
        'viewer',
      );
      await app.rows(
        `INSERT INTO payment_subscriptions (id, organization_id, status, was_paid, started_at, seen_at, seen_kind)
         VALUES ('sub_of_paying', $1, 'past_due', true, now(), now(), 1),
                ('sub_that_failed', $2, 'incomplete', false, now(), now(), 1),
                ('sub_that_ended', $2, 'canceled', true, now(), now(), 2)`,
        [paying, owner.organizationId],
      );
      const wanted = { current_password: PASSWORD, delete_organizations: true };
      await post('delete', owner, { ...wanted, current_password: 'wrong' }).expect(403);
      await post('delete', owner, wanted).expect(409, {
        detail: 'Account owns an organization: Shared (other members), Paying (running subscription)',
      });
      for (const id of [owner.organizationId, shared, paying])
        await app.request().get(`/v1/organizations/${id}`).set('Authorization', owner.bearer).expect(200);
      await app.rows(`UPDATE payment_subscriptions SET status = 'canceled' WHERE id = 'sub_of_paying'`);
      await post('delete', owner, wanted).expect(409, {
        detail: 'Account owns an organization: Shared (other members)',
      });
      await post('delete', member, { current_password: PASSWORD }).expect(200);
      const answers = await Promise.all(Array.from({ length: 4 }, () => post('delete', owner, wanted)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      for (const id of [owner.organizationId, shared, paying])
        expect(await app.rows('SELECT owner_id FROM organizations WHERE id = $1 AND deleted_at IS NULL', [id])).toEqual(
          [],
        );
    });

    it('leaves nobody in an organization that is deleted while somebody joins it', async () => {
      for (let round = 0; round < 4; round += 1) {
        const owner = await ownerWithProject(app);
        const guest = await signedIn(app);
        const invitation = await app
          .request()
          .post(`/v1/organizations/${owner.organizationId}/invites`)
          .set('Authorization', owner.bearer)
          .send({ email: guest.email })
          .expect(201);
        const { id } = invitation.body as { id: string };
        const [joined, deleted] = await Promise.all([
          app.request().post(`/v1/organizations/invites/${id}/accept`).set('Authorization', guest.bearer).send({}),
          post('delete', owner, { current_password: PASSWORD, delete_organizations: true }),
        ]);
        expect([joined.status, deleted.status]).toEqual(joined.status === 200 ? [200, 409] : [404, 200]);
      }
    });

    it('leaves nothing personal, hands projects over and keeps what belongs to others', async () => {
      const owner = await ownerWithProject(app);
      await app.rows(`UPDATE organizations SET plan = 'enterprise' WHERE id = $1`, [owner.organizationId]);
      const admin = await addMember(app, owner, 'admin');
      const create = async (path: string, body: object) =>
        (await app.request().post(path).set('Authorization', admin.bearer).send(body).expect(201)).body as {
          id: string;
          key: string;
        };
      const project = await create('/v1/projects', {
        organization_id: owner.organizationId,
        name: 'Of the admin',
        slug: 'of-the-admin',
      });
      const key = await create('/v1/api-keys', { project_id: project.id, name: 'Of the admin' });
      await app.request().post('/v1/auth/password-reset/request').send({ email: admin.email }).expect(200);
      await waitForMails(app.dataDir, admin.email, 1);
      const second = await login(app, admin.email);

      await post('delete', admin, { current_password: PASSWORD }).expect(200);
      for (const gone of [admin, second]) await me(gone).expect(401, { detail: 'Not authenticated' });
      await app.request().post('/v1/auth/refresh').send({ refresh_token: admin.refreshToken }).expect(401);
      await signIn(admin.email, PASSWORD).expect(401, { detail: 'Incorrect email or password' });
      expect(await tablesWith(admin.id)).toEqual(['audit_events']);
      expect(await tablesWith(admin.email)).toEqual([]);
      expect(
        await app.rows(`SELECT action FROM audit_events WHERE actor_user_id = $1 AND action LIKE 'account.%'`, [
          admin.id,
        ]),
      ).toEqual([{ action: 'account.deleted' }]);

      const { body } = await app
        .request()
        .get(`/v1/projects/${project.id}`)
        .set('Authorization', owner.bearer)
        .expect(200);
      expect(body).toMatchObject({ owner_id: owner.id });
      await app.request().get('/v1/api-keys/me').set('X-API-Key', key.key).expect(200);
      const mails = await waitForMails(app.dataDir, admin.email, 2);
      expect(mails.map(({ subject }) => subject)).toContain('Your account was closed');
    });

    it('leaves the address free for a new account', async () => {
      const actor = await signedIn(app);
      await post('delete', actor, { current_password: PASSWORD }).expect(200);
      await app.request().post('/v1/auth/register').send({ email: actor.email, password: NEW_PASSWORD }).expect(201);
      await app.request().post('/v1/auth/password-reset/request').send({ email: actor.email }).expect(200);
      expect((await app.rows('SELECT id FROM users WHERE email_key = $1', [actor.email]))[0]).not.toEqual({
        id: actor.id,
      });
    });

    it('happens once when it races itself and the making of an organization', async () => {
      const actor = await signedIn(app);
      const deletions = Array.from({ length: 5 }, () => post('delete', actor, { current_password: PASSWORD }));
      const organization = app
        .request()
        .post('/v1/organizations')
        .set('Authorization', actor.bearer)
        .send({ name: 'Race', slug: `race-${actor.id}` });
      const [made, ...answers] = await Promise.all([organization, ...deletions]);
      const statuses = answers.map(({ status }) => status);
      if (made.status === 201) expect(statuses).toEqual(Array(5).fill(409));
      else expect([made.status, ...statuses].sort()).toEqual(expect.arrayContaining([200, 401]));
      expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
    });

    it('reaches another instance of the service', async () => {
      const other = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
      try {
        const actor = await signedIn(app);
        const onOther = () => other.request().get('/v1/auth/me').set('Authorization', actor.bearer);
        await onOther().expect(200);
        await post('delete', actor, { current_password: PASSWORD }).expect(200);
        const statuses: number[] = [];
        while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await onOther()).status);
        expect(statuses.at(-1)).toBe(401);
      } finally {
        await other.close();
      }
    });
  });

  /** Names of the tables in which any row contains the text. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await app.rows<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = 'public' AND c.relkind = 'r' ORDER BY 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const rows = await app.rows(`SELECT 1 FROM "${name}" t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [text]);
      if (rows.length > 0) found.push(name);
    }
    return found;
  }
});
