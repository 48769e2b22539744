import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { login, PASSWORD, randomEmail, registered } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { failedSignIns } from '../../support/failed-sign-ins.js';
import { capturedMails, mailsTo, tokenIn, waitForMails } from '../../support/outbox.js';
import { type AddedPasskey, addPasskey, type Ceremony, get, post, stepUpOf } from '../../support/second-factors.js';
import { securityEvents } from '../../support/security-events.js';
import { startSmtpServer } from '../../support/smtp.js';

const NEW_PASSWORD = 'difference-engine-no-2';
const INVALID = { detail: 'Invalid or expired reset token' };

describe('a password reset', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const request = (email: string) => app.request().post('/v1/auth/password-reset/request').send({ email });
  const confirm = (token: string, password = NEW_PASSWORD) =>
    app.request().post('/v1/auth/password-reset/confirm').send({ token, password });
  const validate = async (token: string): Promise<unknown> =>
    (await app.request().post('/v1/auth/password-reset/validate').send({ token }).expect(200)).body;
  const signIn = (email: string, password: string) =>
    app.request().post('/v1/auth/login').type('form').send({ username: email, password });
  const resetMails = async (email: string) =>
    (await mailsTo(app.dataDir, email)).filter(({ subject }) => subject === 'Choose a new password');

  /** The token mailed by a request; every account here has been mailed once before, for its verification. */
  async function requested(email: string, spelled = email): Promise<string> {
    await request(spelled).expect(200);
    const mails = await waitForMails(app.dataDir, email, 2);
    return tokenIn(mails.at(-1) as never);
  }

  it('mails a link, sets the password, ends every session and signs nobody in', async () => {
    const actor = await registered(app);
    const other = await login(app, actor.email);
    const token = await requested(actor.email, actor.email.toUpperCase());
    const [mail] = await resetMails(actor.email);
    const link = new URL(/https?:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    expect([link.pathname, [...link.searchParams.keys()]]).toEqual(['/reset-password', ['token']]);
    expect(token).toMatch(/^[\w-]{43}$/);

    expect(await validate(token)).toEqual({ valid: true });
    const answer = await confirm(token).expect(200);
    expect(answer.body).toEqual({ message: expect.any(String) });
    expect(await validate(token)).toEqual({ valid: false });

    for (const { bearer, refreshToken } of [actor, other]) {
      await app.request().get('/v1/auth/me').set('Authorization', bearer).expect(401);
      await app.request().post('/v1/auth/refresh').send({ refresh_token: refreshToken }).expect(401);
    }
    await signIn(actor.email, PASSWORD).expect(401);
    const { body } = await signIn(actor.email, NEW_PASSWORD).expect(200);

    const mails = await waitForMails(app.dataDir, actor.email, 3);
    expect(mails.at(-1)?.subject).toBe('Your password was reset');
    const bearer = `Bearer ${(body as { access_token: string }).access_token}`;
    const events = await securityEvents(app, bearer);
    const resets = events.filter(({ type }) => type.startsWith('password_reset'));
    expect(resets.map(({ type, ip }) => [type, ip])).toEqual([
      ['password_reset', '127.0.0.1'],
      ['password_reset_requested', '127.0.0.1'],
    ]);
  });

  it('reaches another instance of the service', async () => {
    const second = await createTestApp({ databaseUrl: app.databaseUrl, dataDir: app.dataDir });
    try {
      const actor = await registered(app);
      const onSecond = () => second.request().get('/v1/auth/me').set('Authorization', actor.bearer);
      await onSecond().expect(200);
      await confirm(await requested(actor.email)).expect(200);
      const statuses: number[] = [];
      while (statuses.at(-1) !== 401 && statuses.length < 500) statuses.push((await onSecond()).status);
      expect(statuses.at(-1)).toBe(401);
    } finally {
      await second.close();
    }
  });

  it('answers the same for an address without an account, and mails nobody there', async () => {
    const { email } = await registered(app);
    const stranger = randomEmail();
    const answers = [await request(email), await request(stranger)].map(({ status, body, headers }) => [
      status,
      body as unknown,
      Object.keys(headers).sort(),
    ]);
    expect(answers[0]).toEqual(answers[1]);
    await app.backgroundDone();
    expect(await resetMails(email)).toHaveLength(1);
    expect(await mailsTo(app.dataDir, stranger)).toEqual([]);
  });

  it('is mailed at most once a minute and address, however often and parallel it is asked for', async () => {
    const { email } = await registered(app);
    await Promise.all(Array.from({ length: 10 }, () => request(email).expect(200)));
    await request(email).expect(200);
    await app.backgroundDone();
    expect(await resetMails(email)).toHaveLength(1);
    await app.rows(
      `UPDATE user_tokens SET created_at = now() - interval '61 seconds'
       WHERE purpose = 'reset_password' AND user_id = (SELECT id FROM users WHERE email_key = $1)`,
      [email],
    );
    await request(email).expect(200);
    await app.backgroundDone();
    expect(await resetMails(email)).toHaveLength(2);
  });

  it('refuses a token that is wrong, used, expired or of another purpose, and changes nothing', async () => {
    const { email } = await registered(app);
    const token = await requested(email);
    await confirm('x').expect(400, INVALID);
    await confirm('x'.repeat(43)).expect(400, INVALID);
    const waiting = randomEmail();
    await app.request().post('/v1/auth/register').send({ email: waiting, password: PASSWORD }).expect(201);
    const verification = tokenIn((await waitForMails(app.dataDir, waiting, 1))[0] as never);
    await confirm(verification).expect(400, INVALID);
    expect(await validate(verification)).toEqual({ valid: false });

    const [{ life } = { life: 0 }] = await app.rows<{ life: number }>(
      `SELECT extract(epoch FROM expires_at - created_at)::int AS life FROM user_tokens
       WHERE purpose = 'reset_password' AND user_id = (SELECT id FROM users WHERE email_key = $1)`,
      [email],
    );
    expect(life).toBe(3600);
    await app.rows(`UPDATE user_tokens SET expires_at = now() WHERE purpose = 'reset_password' AND used_at IS NULL`);
    expect(await validate(token)).toEqual({ valid: false });
    await confirm(token).expect(400, INVALID);
    await signIn(email, PASSWORD).expect(200);
  });

  it('lets exactly one of 20 parallel uses of a token win', async () => {
    const { email } = await registered(app);
    const token = await requested(email);
    const passwords = Array.from({ length: 20 }, (_, one) => `${NEW_PASSWORD}-${one}`);
    const answers = await Promise.all(passwords.map((password) => confirm(token, password)));
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(19);
    const won = answers.findIndex((answer) => answer.status === 200);
    await signIn(email, passwords[won] ?? '').expect(200);
  });

  it('opens no session to sign-ins with the old password that run beside it', async () => {
    const { email } = await registered(app);
    const token = await requested(email);
    const signIns = Array.from({ length: 6 }, () => signIn(email, PASSWORD));
    const [reset, ...answers] = await Promise.all([confirm(token), ...signIns]);
    expect(reset.status).toBe(200);
    for (const { status, body } of answers) {
      expect([200, 401]).toContain(status);
      if (status !== 200) continue;
      const { access_token: accessToken } = body as { access_token: string };
      await app.request().get('/v1/auth/me').set('Authorization', `Bearer ${accessToken}`).expect(401);
    }
  });

  it('takes every other token that was mailed out of use', async () => {
    const { email } = await registered(app);
    const first = await requested(email);
    await app.rows(`UPDATE user_tokens SET created_at = now() - interval '61 seconds' WHERE used_at IS NULL`);
    await request(email).expect(200);
    const second = tokenIn((await waitForMails(app.dataDir, email, 3)).at(-1) as never);
    expect(second).not.toBe(first);
    expect(await validate(first)).toEqual({ valid: true });
    await confirm(second).expect(200);
    await confirm(first).expect(400, INVALID);
  });

  it('judges the new password as registration does, and keeps the token for a better one', async () => {
    const { email } = await registered(app);
    const token = await requested(email);
    const types: unknown[] = [];
    for (const password of ['short', 'password123', 'x'.repeat(129), email.toUpperCase()]) {
      const { body } = await confirm(token, password).expect(422);
      const [issue] = (body as { detail: { type: string; loc: string[]; input: unknown }[] }).detail;
      types.push([issue?.type, issue?.loc, issue?.input]);
    }
    expect(types).toEqual(
      ['string_too_short', 'value_error', 'string_too_long', 'value_error'].map((type) => [
        type,
        ['body', 'password'],
        '[redacted]',
      ]),
    );
    await confirm(token).expect(200);
  });

  it('confirms the address of an account that never did, since its mail was read', async () => {
    const email = randomEmail();
    await app.request().post('/v1/auth/register').send({ email, password: PASSWORD }).expect(201);
    await waitForMails(app.dataDir, email, 1);
    await confirm(await requested(email)).expect(200);
    await signIn(email, NEW_PASSWORD).expect(200);
  });

  it('throws a stranger with the old password out, with the passkey they added without a proof', async () => {
    const owner = await registered(app);
    const [old, recent, unproven] = [
      await addPasskey(app, owner, undefined, 'Old'),
      await addPasskey(app, owner, undefined, 'Visit https://evil.example'),
      await addPasskey(app, owner, undefined, 'Unproven'),
    ];
    await app.rows(`UPDATE passkeys SET created_at = now() - interval '1 day' WHERE id = $1`, [old.id]);
    await app.rows('UPDATE passkeys SET proven = false WHERE id = $1', [unproven.id]);
    await post(app, '/v1/account/two-factor/setup', {}, owner.bearer)
      .set('X-Step-Up-Token', await stepUpOf(app, owner.bearer))
      .expect(200);

    await request(owner.email).expect(200);
    await app.backgroundDone();
    await confirm(tokenIn((await resetMails(owner.email))[0] as never)).expect(200);
    const passwordless = async ({ authenticator }: AddedPasskey) => {
      const { challenge_token, options } = (await post(app, '/v1/auth/passkey/passwordless/options')).body as Ceremony;
      const credential = authenticator.get(options);
      return post(app, '/v1/auth/passkey/passwordless/verify', { challenge_token, credential });
    };
    expect((await passwordless(unproven)).status).toBe(401);
    const { access_token } = (await passwordless(old)).body as { access_token: string };
    const bearer = `Bearer ${access_token}`;
    const left = (await get(app, '/v1/account/passkeys', bearer)).body as { id: string }[];
    expect(left.map(({ id }) => id).sort()).toEqual([old.id, recent.id].sort());
    expect((await get(app, '/v1/account/two-factor', bearer)).body).toMatchObject({ pending: false });

    const [event] = (await securityEvents(app, bearer)).filter(({ type }) => type === 'password_reset');
    const inLog = ({ id }: AddedPasskey) => expect.objectContaining({ kind: 'passkey', passkey_id: id });
    expect(event?.detail).toEqual({
      factors_added: [inLog(recent)],
      passkeys_removed: [inLog(unproven)],
      factors_kept: [inLog(old)],
    });
    await app.backgroundDone();
    const mail = (await mailsTo(app.dataDir, owner.email)).find(({ subject }) => subject === 'Your password was reset');
    const minute = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC';
    const listed = [/Added since .*:/, /Removed, .*:/, /Older, .*:/].map(
      (heading) => `${heading.source}\\s+- passkey, added ${minute}\\s+`,
    );
    expect(mail?.text).toMatch(new RegExp(listed.join('')));
    expect(mail?.text).not.toContain('evil.example');
  });

  it('leaves nothing of a second factor when the only passkey goes', async () => {
    const { id, email, ...owner } = await registered(app);
    await addPasskey(app, { id, email, ...owner });
    await app.rows('UPDATE passkeys SET proven = false WHERE user_id = $1', [id]);
    await request(email).expect(200);
    await app.backgroundDone();
    await confirm(tokenIn((await resetMails(email))[0] as never)).expect(200);
    expect((await signIn(email, NEW_PASSWORD).expect(200)).body).toHaveProperty('access_token');
    expect(await app.rows('SELECT 1 FROM recovery_codes WHERE user_id = $1', [id])).toEqual([]);
  });

  it('lets the owner in whose address wrong guesses have locked', async () => {
    const { email } = await registered(app);
    await failedSignIns(app, email, 29);
    await signIn(email, 'wrong-guess').expect(401);
    await signIn(email, PASSWORD).expect(429);
    await request(email).expect(200);
    await app.backgroundDone();
    await confirm(tokenIn((await resetMails(email))[0] as never)).expect(200);
    await signIn(email, NEW_PASSWORD).expect(200);
    const subjects = (await mailsTo(app.dataDir, email)).map(({ subject }) => subject);
    expect(subjects).toContain('Too many failed sign-in attempts');
  });

  it('stores and logs no token', async () => {
    const { email } = await registered(app);
    const token = await requested(email);
    await confirm(token).expect(200);
    expect(JSON.stringify(await app.rows('SELECT * FROM user_tokens'))).not.toContain(token);
    expect(app.logLines.join('\n')).not.toContain(token);
    expect(app.logLines.join('\n')).not.toContain(NEW_PASSWORD);
    expect((await capturedMails(app.dataDir)).map(({ text }) => text).join('\n')).not.toContain(NEW_PASSWORD);
  });
});

it('works with a real mail server, from registration to a new password', async () => {
  const smtp = await startSmtpServer();
  const app = await createTestApp({ env: { SMTP_URL: smtp.url, MAIL_FROM: 'Service <no-reply@service.example>' } });
  try {
    const email = randomEmail();
    const post = (path: string, body: object) => app.request().post(path).send(body);
    await post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
    const [verification] = await smtp.mailsTo(email, 1);
    expect(verification).toMatchObject({ from: { name: 'Service', address: 'no-reply@service.example' } });
    expect(verification?.html).toBeUndefined();
    await post('/v1/auth/verify-email', { email, token: tokenIn(verification as never) }).expect(200);
    await post('/v1/auth/password-reset/request', { email }).expect(200);
    const [, reset] = await smtp.mailsTo(email, 2);
    expect(reset?.subject).toBe('Choose a new password');
    await post('/v1/auth/password-reset/confirm', { token: tokenIn(reset as never), password: NEW_PASSWORD }).expect(
      200,
    );
    await app
      .request()
      .post('/v1/auth/login')
      .type('form')
      .send({ username: email, password: NEW_PASSWORD })
      .expect(200);
    expect((await smtp.mailsTo(email, 3)).at(-1)?.subject).toBe('Your password was reset');
  } finally {
    await app.close();
    await smtp.close();
  }
});

it('answers all the same while the mail server is away', async () => {
  const smtp = await startSmtpServer();
  await smtp.close();
  const app = await createTestApp({ env: { SMTP_URL: smtp.url } });
  try {
    const email = randomEmail();
    await app.request().post('/v1/auth/register').send({ email, password: PASSWORD }).expect(201);
    await app.request().post('/v1/auth/password-reset/request').send({ email }).expect(200);
  } finally {
    await app.close();
  }
});
