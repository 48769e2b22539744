import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, randomEmail, registered, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { loginBody, OAuthClient, type Tokens } from '../../support/oauth-client.js';
import { type StandIn, startApple, startGoogle } from '../../support/oidc-provider.js';
import { tokenIn, waitForMails } from '../../support/outbox.js';
import {
  type Challenge,
  eventTypes,
  get,
  guardedByTotp,
  mailAbout,
  post,
  tally,
  totpCode,
  wrongCode,
} from '../../support/second-factors.js';

const FAILED = { detail: 'OAuth login failed' };

describe('accounts of people who sign in by Google and Apple', () => {
  let app: TestApp;
  let google: StandIn;
  let apple: StandIn;
  let viaGoogle: OAuthClient;
  let viaApple: OAuthClient;

  beforeAll(async () => {
    google = await startGoogle();
    apple = await startApple();
    app = await createTestApp({ env: { ...google.env, ...apple.env } });
    [viaGoogle, viaApple] = [new OAuthClient(app, 'google'), new OAuthClient(app, 'apple')];
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([google.close(), apple.close()]);
  });

  const me = async ({ access_token }: Tokens): Promise<Record<string, unknown>> =>
    (await app.request().get('/v1/auth/me').set('Authorization', `Bearer ${access_token}`).expect(200)).body as Record<
      string,
      unknown
    >;
  const passwordLogin = (email: string) =>
    app.request().post('/v1/auth/login').type('form').send({ username: email, password: PASSWORD });
  const eventsOf = async (email: string) =>
    app.rows<{ type: string; detail: object; ip: string }>(
      `SELECT type, detail, ip FROM security_events WHERE user_id = (SELECT id FROM users WHERE email_key = $1) ORDER BY id`,
      [email.toLowerCase()],
    );
  const accountsOf = (email: string) =>
    app.rows('SELECT password_hash, name FROM users WHERE email_key = $1 AND email_verified_at IS NOT NULL', [
      email.toLowerCase(),
    ]);

  describe('the first sign-in', () => {
    it('makes a verified account without a password', async () => {
      const { subject, email } = google.addPerson();
      const tokens = await viaGoogle.signIn(google, subject);
      expect(tokens).toEqual({
        access_token: expect.any(String),
        refresh_token: expect.stringMatching(/^[\w-]{43}$/),
        access_expires_in: 900,
        refresh_expires_in: 2_592_000,
        token_type: 'bearer',
      });
      expect(await me(tokens)).toMatchObject({ email, name: 'Ada Lovelace', email_verified: true });
      expect(
        await app.rows(
          `SELECT s.method, u.password_hash FROM users u JOIN sessions s ON s.user_id = u.id WHERE u.email_key = $1`,
          [email],
        ),
      ).toEqual([{ method: 'oauth', password_hash: null }]);
      expect(await eventsOf(email)).toEqual([
        { type: 'account_registered', detail: { provider: 'google' }, ip: '127.0.0.1' },
        {
          type: 'signed_in_new_device',
          detail: { method: 'oauth', session_id: expect.any(String) as unknown },
          ip: '127.0.0.1',
        },
      ]);
      await passwordLogin(email).expect(401);
    });

    it("takes the name from Apple's user object and nothing else, and likes relay addresses", async () => {
      const { subject, email } = apple.addPerson(`${randomBytes(5).toString('hex')}@privaterelay.appleid.com`);
      const raw_user = { name: { firstName: 'Grace', lastName: 'Hopper' }, email: 'somebody@else.example' };
      const tokens = await viaApple.signIn(apple, subject, { raw_user });
      expect(await me(tokens)).toMatchObject({ email, name: 'Grace Hopper', email_verified: true });
      const again = await viaApple.signIn(apple, subject, { raw_user: { name: { firstName: 'Mallory' } } });
      expect(await me(again)).toMatchObject({ email, name: 'Grace Hopper' });
    });

    it("takes Apple's user object as JSON text too, as its form carries it", async () => {
      const { subject } = apple.addPerson();
      const raw_user = JSON.stringify({ name: { firstName: 'Grace', lastName: 'Hopper' } });
      expect(await me(await viaApple.signIn(apple, subject, { raw_user }))).toMatchObject({ name: 'Grace Hopper' });
    });

    it('minds no user object without a usable name', async () => {
      for (const raw_user of [
        null,
        {},
        { name: 'Ada' },
        { name: { firstName: 5 } },
        { name: { lastName: 'x'.repeat(300) } },
      ]) {
        const { subject } = apple.addPerson();
        expect(await me(await viaApple.signIn(apple, subject, { raw_user }))).toMatchObject({ name: null });
      }
    });

    it('links the account that has verified the address, and tells its owner', async () => {
      const actor = await registered(app);
      const { subject } = google.addPerson(actor.email.toUpperCase());
      expect(await me(await viaGoogle.signIn(google, subject))).toMatchObject({ id: actor.id, email: actor.email });
      await passwordLogin(actor.email).expect(200);
      expect((await eventsOf(actor.email)).filter(({ type }) => type === 'oauth_linked')).toEqual([
        { type: 'oauth_linked', detail: { provider: 'google' }, ip: '127.0.0.1' },
      ]);
      const mails = await waitForMails(app.dataDir, actor.email, 2);
      expect(mails.map(({ subject: title }) => title)).toContain('A sign-in provider was linked to your account');
    });

    it('takes over a registration that nobody verified, without its password and name', async () => {
      const { subject, email } = google.addPerson();
      await app.request().post('/v1/auth/register').send({ email, password: PASSWORD, name: 'Mallory' }).expect(201);
      const [mail] = await waitForMails(app.dataDir, email, 1);
      await app.rows(
        `INSERT INTO sessions (id, user_id, method, expires_at)
         SELECT gen_random_uuid(), id, 'password', now() + interval '1 day' FROM users WHERE email_key = $1`,
        [email],
      );

      const tokens = await viaGoogle.signIn(google, subject);
      expect(await me(tokens)).toMatchObject({ email, name: 'Ada Lovelace', email_verified: true });
      await app
        .request()
        .post('/v1/auth/verify-email')
        .send({ email, token: tokenIn(mail!) });
      await passwordLogin(email).expect(401, { detail: 'Incorrect email or password' });
      expect(
        await app.rows(`SELECT s.method FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email_key = $1`, [
          email,
        ]),
      ).toEqual([{ method: 'oauth' }]);
      expect(await eventsOf(email)).toContainEqual({
        type: 'account_registered',
        detail: { provider: 'google', replaced_unverified_registration: true },
        ip: '127.0.0.1',
      });
    });

    it.each([
      ['says the address is not verified', { email_verified: false }],
      ['says so in text', { email_verified: 'false' }],
      ['says nothing about it', { email_verified: undefined }],
      ['gives no address', { email: undefined }],
      ['gives an address that is none', { email: 'nowhere' }],
    ])('fails when the provider %s', async (_, change) => {
      const actor = await signedIn(app);
      const { subject } = google.addPerson();
      google.people.set(subject, { email: actor.email, email_verified: true, ...change });
      const count = () => app.rows('SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM oauth_identities)');
      const before = await count();
      await viaGoogle.login(await viaGoogle.ready(google, subject)).expect(401, FAILED);
      expect(await count()).toEqual(before);
    });
  });

  describe('an account with a second factor', () => {
    const GONE = { detail: 'Invalid or expired challenge' };
    const identitiesOf = (userId: string) => app.rows('SELECT 1 FROM oauth_identities WHERE user_id = $1', [userId]);
    const challenged = async (subject: string): Promise<Challenge> =>
      (await viaGoogle.login(await viaGoogle.ready(google, subject)).expect(200)).body as Challenge;
    const pass = ({ challenge_token }: Challenge, recovery_code: string | undefined) =>
      post(app, '/v1/auth/mfa/recovery-code/verify', { challenge_token, recovery_code });
    const guarded = async () => {
      const actor = await guardedByTotp(app);
      return { actor, subject: google.addPerson(actor.email).subject, codes: actor.recoveryCodes };
    };

    it('is not opened by whoever makes a provider account for its address', async () => {
      const { actor, subject, codes } = await guarded();
      const challenge = await challenged(subject);
      expect(challenge).toEqual({
        mfa_required: true,
        challenge_token: expect.stringMatching(/^[\w-]{43}$/),
        challenge_expires_in: 300,
        methods: ['totp', 'recovery_code'],
      });
      const { challenge_token } = challenge;
      await get(app, '/v1/auth/me', `Bearer ${challenge_token}`).expect(401);
      const code = wrongCode(actor.secret);
      for (let n = 0; n < 5; n += 1) {
        await post(app, '/v1/auth/mfa/totp/verify', { challenge_token, code }).expect(401);
      }
      await pass(challenge, codes[0]).expect(401, GONE);
      expect(await challenged(subject)).toMatchObject({ mfa_required: true });
      expect(await identitiesOf(actor.id)).toEqual([]);
      expect(await eventTypes(app, actor.id)).not.toContain('oauth_linked');
    });

    it('is linked by its owner, whose later sign-ins there stand for both factors', async () => {
      const { actor, subject } = await guarded();
      const { challenge_token } = await challenged(subject);
      const body = { challenge_token, code: totpCode(actor.secret), remember_device: true };
      const answer = await post(app, '/v1/auth/mfa/totp/verify', body).expect(200);
      expect(answer.body).toMatchObject({ trusted_device_token: expect.any(String) });
      expect(await me(answer.body as Tokens)).toMatchObject({ id: actor.id });
      const newest = `SELECT method FROM sessions WHERE user_id = $1 ORDER BY created_at DESC LIMIT 1`;
      expect(await app.rows(newest, [actor.id])).toEqual([{ method: 'oauth' }]);
      await mailAbout(app, actor.email, 'A sign-in provider was linked to your account');
      expect(await me(await viaGoogle.signIn(google, subject))).toMatchObject({ id: actor.id });
      expect((await passwordLogin(actor.email).expect(200)).body).toMatchObject({ mfa_required: true });
      const linked = (await eventsOf(actor.email)).filter(({ type }) => type === 'oauth_linked');
      expect(linked).toEqual([{ type: 'oauth_linked', detail: { provider: 'google' }, ip: '127.0.0.1' }]);
    });

    it('is linked once when two of its sign-ins pass at the same instant', async () => {
      const { actor, subject, codes } = await guarded();
      const challenges = [await challenged(subject), await challenged(subject)];
      const answers = await Promise.all(challenges.map((challenge, one) => pass(challenge, codes[one])));
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await identitiesOf(actor.id)).toHaveLength(1);
      expect((await eventTypes(app, actor.id)).filter((type) => type === 'oauth_linked')).toHaveLength(1);
    });

    it('is linked with one of two subjects of a provider, and lets the other in by nothing', async () => {
      const { actor, subject, codes } = await guarded();
      const other = google.addPerson(actor.email).subject;
      const challenges = [await challenged(subject), await challenged(other)];
      const answers = await Promise.all(challenges.map((challenge, one) => pass(challenge, codes[one])));
      expect(tally(answers)).toEqual({ '200': 1, '401 Invalid or expired challenge': 1 });
      expect(await identitiesOf(actor.id)).toHaveLength(1);
      const late = google.addPerson(actor.email).subject;
      await viaGoogle.login(await viaGoogle.ready(google, late)).expect(401, FAILED);
    });

    it.each([
      ['has another address', `UPDATE users SET email = 'x' || email, email_key = 'x' || email_key WHERE id = $1`],
      ['is gone', 'DELETE FROM users WHERE id = $1'],
      ['belongs to another subject', `INSERT INTO oauth_identities VALUES ('ISSUER', 'somebody', $1)`],
    ])('is not linked any more when it %s by then', async (_, change) => {
      const { actor, subject, codes } = await guarded();
      const challenge = await challenged(subject);
      await app.rows(change.replace('ISSUER', google.issuer), [actor.id]);
      const before = await identitiesOf(actor.id);
      await pass(challenge, codes[0]).expect(401, GONE);
      await pass(challenge, codes[1]).expect(401, GONE);
      expect(await identitiesOf(actor.id)).toEqual(before);
    });

    it('is not locked open: too many wrong codes end its sign-ins by a provider too', async () => {
      const { actor, subject, codes } = await guarded();
      const challenge = await challenged(subject);
      await app.rows(
        `INSERT INTO second_factor_failures (user_id, locked_until) VALUES ($1, now() + interval '5 minutes')`,
        [actor.id],
      );
      await viaGoogle.login(await viaGoogle.ready(google, subject)).expect(429);
      await pass(challenge, codes[0]).expect(429);
      expect(await identitiesOf(actor.id)).toEqual([]);
    });

    it('gets no passkey by a linked sign-in alone, with a password or without one', async () => {
      const actor = await signedIn(app);
      const linked = await viaGoogle.signIn(google, google.addPerson(actor.email).subject);
      const options = (tokens: Tokens, body: object = {}) =>
        post(app, '/v1/account/passkeys/register/options', body, `Bearer ${tokens.access_token}`);
      await options(linked).expect(403, { detail: 'Incorrect password' });
      await options(linked, { current_password: PASSWORD }).expect(200);
      const { subject, email } = google.addPerson();
      const fresh = await viaGoogle.signIn(google, subject);
      await options(fresh).expect(200);
      await app.rows(
        `UPDATE sessions SET created_at = now() - interval '5 minutes'
         WHERE user_id = (SELECT id FROM users WHERE email_key = $1)`,
        [email],
      );
      await options(fresh).expect(403, { detail: 'Sign in again to confirm this change' });
    });
  });

  describe('later sign-ins', () => {
    it('go by the subject, whatever became of the address', async () => {
      const { subject, email } = google.addPerson();
      const first = await me(await viaGoogle.signIn(google, subject));
      google.people.set(subject, { email: randomEmail(), email_verified: false });
      expect(await me(await viaGoogle.signIn(google, subject))).toMatchObject({ id: first['id'], email });
    });

    it('let nobody in whose address belonged to another subject of the provider before', async () => {
      const { subject, email } = google.addPerson();
      await viaGoogle.signIn(google, subject);
      const heir = google.addPerson(email);
      await viaGoogle.login(await viaGoogle.ready(google, heir.subject)).expect(401, FAILED);
      const viaOther = apple.addPerson(email);
      await viaApple.signIn(apple, viaOther.subject);
      expect(await accountsOf(email)).toHaveLength(1);
    });
  });

  describe('races', () => {
    it('make one account of parallel first sign-ins by both providers', async () => {
      const { subject, email } = google.addPerson();
      const atApple = apple.addPerson(email);
      const logins = [];
      for (let i = 0; i < 4; i += 1) {
        const [one, two] = [await viaGoogle.start(), await viaApple.start()];
        const byGoogle = loginBody(one, await google.signIn(one.authorization_url, subject));
        const byApple = loginBody(two, await apple.signIn(two.authorization_url, atApple.subject));
        logins.push(
          () => viaGoogle.login(byGoogle).expect(200),
          () => viaApple.login(byApple).expect(200),
        );
      }
      const answers = await Promise.all(logins.map((login) => login()));
      const ids = await Promise.all(answers.map(async ({ body }) => (await me(body as Tokens))['id']));
      expect(new Set(ids).size).toBe(1);
      expect(await accountsOf(email)).toHaveLength(1);
      const types = (await eventsOf(email)).map(({ type }) => type);
      const isSignIn = (type: string): boolean => type.startsWith('signed_in');
      expect(types.filter(isSignIn)).toHaveLength(8);
      expect(types.filter((type) => !isSignIn(type)).sort()).toEqual(['account_registered', 'oauth_linked']);
    });

    it('take an unverified registration over once', async () => {
      const { subject, email } = google.addPerson();
      await app.request().post('/v1/auth/register').send({ email, password: PASSWORD }).expect(201);
      const bodies = [];
      for (let i = 0; i < 5; i += 1) bodies.push(await viaGoogle.ready(google, subject));
      await Promise.all(bodies.map((body) => viaGoogle.login(body).expect(200)));
      expect(await accountsOf(email)).toEqual([{ password_hash: null, name: 'Ada Lovelace' }]);
    });
  });
});
