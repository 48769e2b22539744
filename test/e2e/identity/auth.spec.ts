import { createHmac, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createRemoteJWKSet,
  type CryptoKey,
  type JWK,
  decodeJwt,
  decodeProtectedHeader,
  exportSPKI,
  importJWK,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { emailKeyOf } from '../../../src/modules/identity/users/index.js';
import { login, PASSWORD, randomEmail, registered, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { mailsTo, tokenIn, waitForMails } from '../../support/outbox.js';
import { securityEvents, securityEventTypes } from '../../support/security-events.js';

interface Tokens {
  access_token: string;
  refresh_token: string;
}

describe('accounts and sessions', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const register = (email: string, password = PASSWORD) =>
    app.request().post('/v1/auth/register').send({ email, password, name: 'Ada' });
  const signIn = (email: string, password = PASSWORD) =>
    app.request().post('/v1/auth/login').type('form').send({ username: email, password });
  const refresh = (token: string) => app.request().post('/v1/auth/refresh').send({ refresh_token: token });
  const me = (authorization: string) => app.request().get('/v1/auth/me').set('Authorization', authorization);

  describe('registration', () => {
    it('registers, mails a link and signs in once the address is confirmed', async () => {
      const email = randomEmail();
      const answer = await register(email).expect(201);
      expect(answer.body).toEqual({ message: expect.any(String), email, verification_required: true });
      await signIn(email).expect(403, { detail: 'Email not verified' });

      const [mail] = await waitForMails(app.dataDir, email, 1);
      if (mail === undefined) throw new Error('no mail');
      const link = new URL(/https?:\/\/\S+/.exec(mail.text ?? '')?.[0] ?? '');
      expect(link.pathname).toBe('/verify-email');
      expect(link.searchParams.get('email')).toBe(email);
      const verified = await app
        .request()
        .post('/v1/auth/verify-email')
        .send({ email, token: tokenIn(mail) })
        .expect(200);
      expect(verified.body).toEqual({ message: expect.any(String), email_verified: true });

      const tokens = (await signIn(email).expect(200)).body as Tokens;
      expect(tokens).toEqual({
        access_token: expect.any(String),
        refresh_token: expect.stringMatching(/^[\w-]{43}$/),
        access_expires_in: 900,
        refresh_expires_in: 2_592_000,
        token_type: 'bearer',
      });
      const own = await me(`Bearer ${tokens.access_token}`).expect(200);
      expect(own.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        email,
        name: 'Ada',
        email_verified: true,
        two_factor_enabled: false,
        passkey_count: 0,
        has_password: true,
        is_platform_admin: false,
        pending_plan: null,
        selected_project_id: null,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    });

    it('does not take a letter that looks like K for one, nor other capitals beyond ASCII', async () => {
      const local = `mike-${randomEmail()}`;
      const kelvin = local.replace('k', '\u212a');
      const { id } = await registered(app, local);
      await signIn(local.toUpperCase()).expect(200);
      await signIn(kelvin).expect(401, { detail: 'Incorrect email or password' });
      const refused = await register(kelvin).expect(422);
      expect((refused.body as { detail: object[] }).detail).toMatchObject([{ loc: ['body', 'email'] }]);

      const accented = `ren\u00e9-${randomEmail()}`;
      await app.rows('UPDATE users SET email = $2, email_key = $2 WHERE id = $1', [id, accented]);
      await signIn(accented.normalize('NFD')).expect(200);
      await signIn(accented.replace('\u00e9', '\u00c9')).expect(401);
    });

    it('finds an account by each spelling of its address, whose marks may go with a small letter alone', async () => {
      const spelled = `J\u030cH\u0331-${randomEmail()}`;
      const { id } = await registered(app);
      await app.rows('UPDATE users SET email = $2, email_key = $3 WHERE id = $1', [id, spelled, emailKeyOf(spelled)]);
      await signIn(spelled).expect(200);
      await signIn(spelled.toLowerCase()).expect(200);
      await signIn(spelled.toLowerCase().normalize('NFC')).expect(200);
    });

    it('finds an account by each spelling of its domain, with blanks around it, and makes no second one', async () => {
      const { id, email } = await registered(app);
      const local = email.split('@')[0] ?? '';
      const domains = [
        'b\u00fccher.example',
        'xn--bcher-kva.example',
        'BU\u0308CHER.Example',
        '\uff42\u00fccher.example',
      ];
      const [given = '', ...others] = domains.map((domain) => `${local}@${domain}`);
      await app.rows('UPDATE users SET email = $2, email_key = $3 WHERE id = $1', [id, given, emailKeyOf(given)]);
      for (const spelling of [given, ...others]) {
        await signIn(spelling).expect(200);
        await signIn(` \t${spelling}\n`).expect(200);
      }
      for (const spelling of [`${local}@xn--bcher-kva.example`, `${local}@XN--BCHER-KVA.example`])
        await register(spelling, 'another-long-password').expect(201);
      expect(await app.rows('SELECT id, email FROM users WHERE email LIKE $1', [`%${local}@%`])).toEqual([
        { id, email: given },
      ]);
    });

    it.each(['u@xn--\u00fc.example', `u@${'\u00fc'.repeat(62)}.example`, ' ', 'u @example.com', 'u@ example.com'])(
      'refuses %j, which no mail can reach',
      async (email) => {
        const { body } = await register(email).expect(422);
        expect((body as { detail: object[] }).detail).toMatchObject([{ type: 'value_error', loc: ['body', 'email'] }]);
      },
    );

    it('answers the same for an address that has an account, and mails its owner instead', async () => {
      const { email } = await registered(app);
      const answer = await register(email.toUpperCase(), 'another-long-password').expect(201);
      expect(answer.body).toMatchObject({ verification_required: true });
      const mails = await waitForMails(app.dataDir, email, 2);
      expect(mails[1]?.subject).toBe('You already have an account');
      await signIn(email, 'another-long-password').expect(401);
      await signIn(email.toUpperCase()).expect(200);
    });

    describe('of one address with different passwords', () => {
      const [OWNERS, STRANGERS] = ['password-of-the-owner', 'password-of-the-stranger'];
      const verify = (email: string, mail: unknown) =>
        app
          .request()
          .post('/v1/auth/verify-email')
          .send({ email, token: tokenIn(mail as never) });
      const passTime = (email: string, seconds: number) =>
        app.rows(
          `UPDATE user_tokens SET created_at = created_at - make_interval(secs => $2),
                  expires_at = expires_at - make_interval(secs => $2)
           WHERE user_id = (SELECT id FROM users WHERE email_key = $1)`,
          [email, seconds],
        );
      const chooseByReset = async (email: string) => {
        await app.request().post('/v1/auth/password-reset/request').send({ email }).expect(200);
        await app.backgroundDone();
        const mails = await mailsTo(app.dataDir, email);
        const token = tokenIn(mails.find(({ subject }) => subject === 'Choose a new password') as never);
        await app.request().post('/v1/auth/password-reset/confirm').send({ token, password: PASSWORD }).expect(200);
        await signIn(email).expect(200);
      };

      it.each([
        ['at once, by the only mail', [OWNERS, STRANGERS], 0, 0],
        ['a minute later, by the mail of the first', [OWNERS, STRANGERS], 61, 0],
        ['a minute later, by the newest mail', [OWNERS, STRANGERS], 61, 1],
        ['a minute later, the stranger first', [STRANGERS, OWNERS], 61, 1],
        ['two days later', [STRANGERS, OWNERS], 172_800, 1],
        ['three times, the first one again', [OWNERS, STRANGERS, OWNERS], 61, 1],
      ] as const)('signs a stranger in by no mail of its owner: %s', async (_, passwords, seconds, opened) => {
        const email = randomEmail();
        for (const [index, password] of passwords.entries()) {
          if (index > 0) await passTime(email, seconds);
          await register(email, password).expect(201);
          await app.backgroundDone();
        }
        const mails = await mailsTo(app.dataDir, email);
        const answer = await verify(email, mails[opened]).expect(200);
        expect(answer.body).toEqual({
          message: 'The address is confirmed; choose a password by a reset',
          email_verified: true,
        });
        for (const password of [OWNERS, STRANGERS]) {
          await signIn(email, password).expect(401, { detail: 'Incorrect email or password' });
        }
        if (opened === 1) expect(mails[1]?.text).toContain('none of them counts');
        await chooseByReset(email);
      });

      it.each([2, 3])('signs none of %d strangers in who register at the same instant', async (count) => {
        const email = randomEmail();
        const passwords = Array.from({ length: count }, (_, one) => `password-of-number-${one}`);
        const answers = await Promise.all(passwords.map((password) => register(email, password)));
        expect(answers.map(({ status }) => status)).toEqual(passwords.map(() => 201));
        const [mail] = await waitForMails(app.dataDir, email, 1);
        await verify(email, mail).expect(200);
        for (const password of passwords) await signIn(email, password).expect(401);
        await chooseByReset(email);
      });

      it('keeps a password that was sent twice, also at the same instant', async () => {
        const email = randomEmail();
        const answers = await Promise.all(Array.from({ length: 4 }, () => register(email, OWNERS)));
        expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
        await app.backgroundDone();
        await passTime(email, 61);
        await register(email, OWNERS).expect(201);
        const [, mail] = await waitForMails(app.dataDir, email, 2);
        const answer = await verify(email, mail).expect(200);
        expect(answer.body).toEqual({ message: 'The address is confirmed', email_verified: true });
        await signIn(email, OWNERS).expect(200);
      });
    });

    it('refuses common passwords in any width of their letters', async () => {
      await register(randomEmail(), '\uff50assword1').expect(422);
    });

    it('mails the owner of an account about repeated registrations at most once a minute', async () => {
      const { email } = await registered(app);
      for (let index = 0; index < 5; index += 1) await register(email).expect(201);
      const mails = await waitForMails(app.dataDir, email, 2);
      const about = mails.filter((mail) => mail.subject === 'You already have an account');
      expect(about).toHaveLength(1);
    });

    it('makes one account of parallel registrations of one address', async () => {
      const email = randomEmail();
      const answers = await Promise.all(Array.from({ length: 8 }, () => register(email)));
      expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(201));
      expect(await app.rows('SELECT 1 FROM users WHERE email_key = $1', [email])).toHaveLength(1);
    });

    it.each([
      ['a short password', { password: 'short' }, ['string_too_short', 'password']],
      ['a common password', { password: 'password123' }, ['value_error', 'password']],
      ['a long password', { password: 'x'.repeat(129) }, ['string_too_long', 'password']],
      ['no address', { email: undefined }, ['missing', 'email']],
      ['an address without @', { email: 'ada' }, ['value_error', 'email']],
      [
        'an address of 255 characters',
        { email: `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example` },
        ['value_error', 'email'],
      ],
      ['a name that is a number', { name: 5 }, ['string_type', 'name']],
    ])('refuses %s and stores nothing', async (_, change, [type, field]) => {
      const email = randomEmail();
      const count = async () => (await app.rows('SELECT 1 FROM users')).length;
      const before = await count();
      const answer = await app
        .request()
        .post('/v1/auth/register')
        .send({ email, password: PASSWORD, ...change })
        .expect(422);
      const [issue] = (answer.body as { detail: { type: string; loc: string[] }[] }).detail;
      expect([issue?.type, issue?.loc]).toEqual([type, ['body', field]]);
      expect(await count()).toBe(before);
    });

    it('refuses the address itself as password and repeats no password in the answer', async () => {
      const email = randomEmail();
      const answer = await register(email, email.toUpperCase()).expect(422);
      expect(answer.body).toEqual({
        detail: [
          {
            type: 'value_error',
            loc: ['body', 'password'],
            msg: 'Value error, password must not be the e-mail address',
            input: '[redacted]',
            ctx: { error: {} },
          },
        ],
      });
    });
  });

  describe('verification', () => {
    it('refuses a wrong, used or expired token and one of another account', async () => {
      const [email, other] = [randomEmail(), randomEmail()];
      await register(email).expect(201);
      await register(other).expect(201);
      const token = tokenIn((await waitForMails(app.dataDir, email, 1))[0] as never);
      const verify = (body: object) => app.request().post('/v1/auth/verify-email').send(body);
      const refused = { detail: 'Invalid or expired verification token' };
      await verify({ email, token: 'x'.repeat(43) }).expect(400, refused);
      await verify({ email: other, token }).expect(400, refused);
      await verify({ email: randomEmail(), token }).expect(400, refused);
      await app.rows(
        `UPDATE user_tokens SET expires_at = now() WHERE user_id = (SELECT id FROM users WHERE email_key = $1)`,
        [email],
      );
      await verify({ email, token }).expect(400, refused);
      await app.rows(
        `UPDATE user_tokens SET expires_at = now() + interval '1 hour' WHERE user_id = (SELECT id FROM users WHERE email_key = $1)`,
        [email],
      );
      const answers = await Promise.all(Array.from({ length: 10 }, () => verify({ email, token })));
      expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
      await verify({ email, token }).expect(400, refused);
    });

    it('mails again at most once a minute, and answers the same for any address', async () => {
      const email = randomEmail();
      await register(email).expect(201);
      const resend = (address: string) =>
        app.request().post('/v1/auth/resend-verification').send({ email: address }).expect(200);
      const answer = await resend(email);
      expect((await resend(randomEmail())).body).toEqual(answer.body);
      // While the first one is under way others of this address are left out.
      await app.backgroundDone();
      await app.rows(
        `UPDATE user_tokens SET created_at = now() - interval '61 seconds' WHERE user_id = (SELECT id FROM users WHERE email_key = $1)`,
        [email],
      );
      await Promise.all([resend(email), resend(email), resend(email)]);
      const mails = await waitForMails(app.dataDir, email, 2);
      await app
        .request()
        .post('/v1/auth/verify-email')
        .send({ email, token: tokenIn(mails[1] as never) })
        .expect(200);
      expect(await mailsTo(app.dataDir, email)).toHaveLength(2);
    });
  });

  describe('login', () => {
    it('says the same about a wrong password and an unknown address', async () => {
      const { email } = await registered(app);
      const refused = { detail: 'Incorrect email or password' };
      await signIn(email, 'wrong-password').expect(401, refused);
      await signIn(randomEmail()).expect(401, refused);
    });

    it('needs a form with both fields', async () => {
      const missing = (field: string) => ({
        type: 'missing',
        loc: ['body', field],
        msg: 'Field required',
        input: null,
      });
      await app
        .request()
        .post('/v1/auth/login')
        .type('form')
        .send({})
        .expect(422, { detail: [missing('username'), missing('password')] });
      await app
        .request()
        .post('/v1/auth/login')
        .send({ username: 'a', password: 'b' })
        .expect(415, { detail: 'Unsupported Media Type' })
        .expect('Accept-Post', 'application/x-www-form-urlencoded');
    });

    it('stores neither the password nor the tokens', async () => {
      const actor = await registered(app);
      const stored = JSON.stringify(
        await app.rows(
          'SELECT u.*, s.*, r.* FROM users u JOIN sessions s ON s.user_id = u.id JOIN refresh_tokens r ON r.session_id = s.id WHERE u.id = $1',
          [actor.id],
        ),
      );
      expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
      expect(stored).not.toContain(PASSWORD);
      expect(stored).not.toContain(actor.refreshToken);
    });
  });

  describe('refresh', () => {
    const afterTheGrace = () =>
      app.rows(`UPDATE refresh_tokens SET used_at = used_at - interval '11 seconds' WHERE used_at IS NOT NULL`);
    const livingTokens = async (userId: string): Promise<number> => {
      const living = await app.rows(
        `SELECT 1 FROM refresh_tokens r JOIN sessions s ON s.id = r.session_id
         WHERE s.user_id = $1 AND r.used_at IS NULL AND r.superseded_at IS NULL`,
        [userId],
      );
      return living.length;
    };

    it('rotates, and a token used again ends the whole session', async () => {
      const first = await registered(app);
      const second = (await refresh(first.refreshToken).expect(200)).body as Tokens;
      expect(second.refresh_token).not.toBe(first.refreshToken);
      const third = (await refresh(second.refresh_token).expect(200)).body as Tokens;
      await me(`Bearer ${third.access_token}`).expect(200);

      await refresh(first.refreshToken).expect(401, { detail: 'Refresh token reuse detected' });
      await refresh(third.refresh_token).expect(401, { detail: 'Invalid refresh token' });
      for (const token of [first.accessToken, second.access_token, third.access_token]) {
        await me(`Bearer ${token}`).expect(401, { detail: 'Not authenticated' });
      }
    });

    it('answers a token with the same successor again within the grace', async () => {
      const { refreshToken } = await signedIn(app);
      const lost = (await refresh(refreshToken).expect(200)).body as Tokens;
      const again = (await refresh(refreshToken).expect(200)).body as Tokens;
      expect(again.refresh_token).toBe(lost.refresh_token);
      expect(again.refresh_token).toMatch(/^[\w-]{43}$/);
      for (const { access_token } of [lost, again]) await me(`Bearer ${access_token}`).expect(200);
      const third = (await refresh(lost.refresh_token).expect(200)).body as Tokens;
      expect(((await refresh(again.refresh_token).expect(200)).body as Tokens).refresh_token).toBe(third.refresh_token);
    });

    it('records a refresh within the grace from another address or program, mails it, and ends the session when both go on', async () => {
      const { email, refreshToken } = await signedIn(app);
      const from = (program: string, token: string) => refresh(token).set('User-Agent', program);
      const owner = (await from('Browser/1.0', refreshToken).expect(200)).body as Tokens;
      const retry = (await from('Browser/1.0', refreshToken).expect(200)).body as Tokens;
      const types = () => securityEventTypes(app, `Bearer ${retry.access_token}`);
      expect(await types()).not.toContain('refresh_token_shared');

      const thief = (await from('curl/8.0', refreshToken).expect(200)).body as Tokens;
      expect(thief.refresh_token).toBe(owner.refresh_token);
      const [event] = await securityEvents(app, `Bearer ${owner.access_token}`);
      expect(event).toMatchObject({ type: 'refresh_token_shared', ip: '127.0.0.1', user_agent: 'curl/8.0' });
      expect(event?.detail).toEqual({ session_id: decodeJwt(owner.access_token).sid });
      const [mail] = await waitForMails(app.dataDir, email, 1);
      expect(mail?.subject).toBe('A session of your account was refreshed from two places');

      await app.rows('UPDATE refresh_tokens SET used_ip = $2 WHERE token_hash = sha256(convert_to($1, $3))', [
        refreshToken,
        '203.0.113.7',
        'UTF8',
      ]);
      await from('Browser/1.0', refreshToken).expect(200);
      expect((await types()).filter((type) => type === 'refresh_token_shared')).toHaveLength(2);

      await from('curl/8.0', thief.refresh_token).expect(200);
      await afterTheGrace();
      await from('Browser/1.0', owner.refresh_token).expect(401, { detail: 'Refresh token reuse detected' });
      await me(`Bearer ${thief.access_token}`).expect(401);
    });

    it('calls the predecessor reused once the grace is over', async () => {
      const actor = await registered(app);
      const next = (await refresh(actor.refreshToken).expect(200)).body as Tokens;
      await afterTheGrace();
      await refresh(actor.refreshToken).expect(401, { detail: 'Refresh token reuse detected' });
      await refresh(next.refresh_token).expect(401, { detail: 'Invalid refresh token' });
    });

    it('gives 20 parallel refreshes by two instances the same successor, which goes on', async () => {
      const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
      try {
        const actor = await signedIn(app);
        const instances = [app, second];
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            (instances[n % 2] ?? app).request().post('/v1/auth/refresh').send({ refresh_token: actor.refreshToken }),
          ),
        );
        expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
        const tokens = new Set(answers.map(({ body }) => (body as Tokens).refresh_token));
        expect(tokens.size).toBe(1);
        expect(await livingTokens(actor.id)).toBe(1);
        for (const token of tokens) await refresh(token).expect(200);
      } finally {
        await second.close();
      }
    });

    it('goes on with sessions of versions that drew each token at random', async () => {
      const actor = await signedIn(app);
      await refresh(actor.refreshToken).expect(200);
      const drawn = 'd'.repeat(43);
      await app.rows(
        `UPDATE refresh_tokens r SET token_hash = sha256(convert_to($2, 'UTF8')) FROM sessions s
         WHERE s.id = r.session_id AND s.user_id = $1 AND r.used_at IS NULL`,
        [actor.id, drawn],
      );
      const repeated = (await refresh(actor.refreshToken).expect(200)).body as Tokens;
      await refresh(drawn).expect(401, { detail: 'Invalid refresh token' });
      expect(await livingTokens(actor.id)).toBe(1);
      await refresh(repeated.refresh_token).expect(200);
    });

    it('refuses unknown tokens and those of an expired session', async () => {
      await refresh('nobody-knows-this').expect(401, { detail: 'Invalid refresh token' });
      const actor = await registered(app);
      await app.rows('UPDATE sessions SET expires_at = now() WHERE user_id = $1', [actor.id]);
      await refresh(actor.refreshToken).expect(401, { detail: 'Invalid refresh token' });
    });
  });

  describe('logout', () => {
    it('ends the session at once and succeeds without one', async () => {
      const actor = await registered(app);
      await me(actor.bearer).expect(200);
      const answer = await app
        .request()
        .post('/v1/auth/logout')
        .send({ refresh_token: actor.refreshToken })
        .expect(200);
      await me(actor.bearer).expect(401, { detail: 'Not authenticated' });
      await refresh(actor.refreshToken).expect(401, { detail: 'Invalid refresh token' });
      const again = await app.request().post('/v1/auth/logout').send({ refresh_token: actor.refreshToken }).expect(200);
      expect(again.body).toEqual(answer.body);
    });

    it('leaves the other sessions of the account alone', async () => {
      const actor = await registered(app);
      const other = await login(app, actor.email);
      await app.request().post('/v1/auth/logout').send({ refresh_token: actor.refreshToken }).expect(200);
      await me(other.bearer).expect(200);
    });

    it('reaches another instance of the service', async () => {
      const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
      try {
        const actor = await registered(app);
        const onSecond = () => second.request().get('/v1/auth/me').set('Authorization', actor.bearer);
        await onSecond().expect(200);
        await app.request().post('/v1/auth/logout').send({ refresh_token: actor.refreshToken }).expect(200);
        const statuses: number[] = [];
        while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await onSecond()).status);
        expect(statuses.at(-1)).toBe(401);
      } finally {
        await second.close();
      }
    });
  });

  describe('access tokens', () => {
    it('are ES256 tokens that the published keys verify', async () => {
      const actor = await registered(app);
      expect(decodeProtectedHeader(actor.accessToken)).toMatchObject({ alg: 'ES256', kid: expect.any(String) });
      const keys = createRemoteJWKSet(new URL(`${app.url}/v1/auth/jwks`));
      const { payload } = await jwtVerify(actor.accessToken, keys);
      expect(payload).toMatchObject({
        sub: actor.id,
        sid: expect.any(String),
        iss: expect.any(String),
        aud: expect.any(String),
      });
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
      const jwks = (await app.request().get('/v1/auth/jwks').expect(200)).body as { keys: Record<string, string>[] };
      expect(Object.keys(jwks.keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    });

    it('are refused when forged, foreign, unsigned, expired or of another kind', async () => {
      const actor = await registered(app);
      const claims = decodeJwt(actor.accessToken);
      const header = decodeProtectedHeader(actor.accessToken) as { alg: string; kid: string; typ: string };
      const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
      const [jwk] = ((await app.request().get('/v1/auth/jwks')).body as { keys: Record<string, string>[] }).keys;
      const publicPem = await exportSPKI((await importJWK(jwk as JWK, 'ES256', { extractable: true })) as CryptoKey);
      const hmacInput = `${Buffer.from(JSON.stringify({ ...header, alg: 'HS256' })).toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
      const hs256 = `${hmacInput}.${createHmac('sha256', publicPem).update(hmacInput).digest('base64url')}`;
      expect(createPublicKey(publicPem).asymmetricKeyType).toBe('ec');
      const tokens = {
        'signed by a stranger': await new SignJWT(claims).setProtectedHeader(header).sign(foreign),
        unsigned: new UnsecuredJWT(claims).encode(),
        'HS256 with the public key': hs256,
        'a refresh token': actor.refreshToken,
        'cut short': actor.accessToken.slice(0, -2),
        empty: '',
      };
      for (const token of Object.values(tokens))
        await me(`Bearer ${token}`).expect(401, { detail: 'Not authenticated' });
      await me(actor.accessToken).expect(401);
      await me(`Basic ${actor.accessToken}`).expect(401);
      const answer = await app.request().get('/v1/auth/me').expect(401, { detail: 'Not authenticated' });
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    });

    it('expire', async () => {
      const short = await createTestApp({ env: { ACCESS_TOKEN_TTL_SECONDS: '10' }, databaseUrl: app.databaseUrl });
      try {
        const actor = await registered(short);
        const { exp, iat } = decodeJwt(actor.accessToken);
        expect((exp ?? 0) - (iat ?? 0)).toBe(10);
        // Another instance has other keys of its own here, so a token of one means nothing to the other.
        await me(actor.bearer).expect(401);
      } finally {
        await short.close();
      }
    });
  });
});
