import { describe, expect, it } from '@jest/globals';
import {
  type AddedPasskey,
  addPasskey,
  type Ceremony,
  fullStepUpToken,
  type Tokens,
} from '../../support/second-factors-api.js';
import { capturedMails, tokenIn } from '../../support/service-mail.js';
import { logText } from '../../support/service-log.js';
import { api, PASSWORD, randomEmail } from '../../support/service.js';
import {
  login,
  mailedToken,
  mailRequestsHandled,
  mailsAbout,
  noticesSent,
  refresh,
  registered,
  securityEvents,
  signIn,
} from '../../support/sign-in-api.js';
import { storedSecondFactors } from '../../support/sql-builders/identity.js';
import {
  ageMailedTokens,
  agePasskey,
  expireMailedTokensIn,
  failedSignIns,
  makePasskeyUnproven,
  resetTokenLives,
  storedMailedTokens,
} from '../../support/sql-builders/sign-in.js';

const NEW_PASSWORD = 'difference-engine-no-2';
const INVALID = { detail: 'Invalid or expired reset token' };
const SUBJECT = 'Choose a new password';

const request = (email: string) => api.post('/v1/auth/password-reset/request', { email });
const confirm = (token: string, password = NEW_PASSWORD) =>
  api.post('/v1/auth/password-reset/confirm', { token, password });
const validate = async (token: string): Promise<unknown> =>
  (await api.post('/v1/auth/password-reset/validate', { token }).expect(200)).body;
const resetMails = async (email: string) => (await capturedMails(email)).filter(({ subject }) => subject === SUBJECT);

/** The token that a request mails. The address has had no such mail before. */
async function requested(email: string, spelled = email): Promise<string> {
  await request(spelled).expect(200);
  const [mail] = await mailsAbout(email, SUBJECT);
  if (mail === undefined) throw new Error('no mail');
  return tokenIn(mail);
}

describe('a password reset', () => {
  it('mails a link, sets the password, ends every session and signs nobody in', async () => {
    const user = await registered();
    const other = await login(user.email);
    const token = await requested(user.email, user.email.toUpperCase());
    const [mail] = await resetMails(user.email);
    const link = new URL(/https?:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? '');
    expect([link.pathname, [...link.searchParams.keys()]]).toEqual(['/reset-password', ['token']]);
    expect(token).toMatch(/^[\w-]{43}$/);

    expect(await validate(token)).toEqual({ valid: true });
    const answer = await confirm(token).expect(200);
    expect(answer.body).toEqual({ message: expect.any(String) });
    expect(await validate(token)).toEqual({ valid: false });

    for (const session of [user, other]) {
      await api.as(session).get('/v1/auth/me').expect(401);
      await refresh(session.refreshToken).expect(401);
    }
    await signIn(user.email).expect(401);
    const again = await login(user.email, NEW_PASSWORD);

    await noticesSent(user);
    const mails = await capturedMails(user.email);
    expect(mails).toHaveLength(3);
    expect(mails.at(-1)?.subject).toBe('Your password was reset');
    const resets = (await securityEvents(again)).filter(({ type }) => type.startsWith('password_reset'));
    expect(resets.map(({ type, ip }) => [type, ip])).toEqual([
      ['password_reset', '127.0.0.1'],
      ['password_reset_requested', '127.0.0.1'],
    ]);
  });

  it('returns the same answer for an address without an account, and mails nobody there', async () => {
    const { email } = await registered();
    const stranger = randomEmail();
    const answers = [await request(email), await request(stranger)].map(({ status, body, headers }) => [
      status,
      body as unknown,
      Object.keys(headers).sort(),
    ]);
    expect(answers[0]).toEqual(answers[1]);
    await mailsAbout(email, SUBJECT);
    await mailRequestsHandled();
    expect(await resetMails(email)).toHaveLength(1);
    expect(await capturedMails(stranger)).toEqual([]);
  });

  it('is mailed at most once a minute to an address, although 11 requests ask for it', async () => {
    const { email } = await registered();
    await Promise.all(Array.from({ length: 10 }, () => request(email).expect(200)));
    await request(email).expect(200);
    await mailsAbout(email, SUBJECT);
    await mailRequestsHandled();
    expect(await resetMails(email)).toHaveLength(1);
    await ageMailedTokens(email, 61);
    await request(email).expect(200);
    await mailsAbout(email, SUBJECT, 2);
    await mailRequestsHandled();
    expect(await resetMails(email)).toHaveLength(2);
  });

  it('returns 400 for a token that is wrong, expired or of another purpose, and changes nothing', async () => {
    const { email } = await registered();
    const token = await requested(email);
    await confirm('x').expect(400, INVALID);
    await confirm('x'.repeat(43)).expect(400, INVALID);
    const unconfirmed = randomEmail();
    await api.post('/v1/auth/register', { email: unconfirmed, password: PASSWORD }).expect(201);
    const verification = await mailedToken(unconfirmed);
    await confirm(verification).expect(400, INVALID);
    expect(await validate(verification)).toEqual({ valid: false });

    expect(await resetTokenLives(email)).toEqual([3600]);
    await expireMailedTokensIn(email, 0);
    expect(await validate(token)).toEqual({ valid: false });
    await confirm(token).expect(400, INVALID);
    await signIn(email).expect(200);
  });

  it('accepts a token once when 20 requests use it in parallel', async () => {
    const { email } = await registered();
    const token = await requested(email);
    const passwords = Array.from({ length: 20 }, (_, one) => `${NEW_PASSWORD}-${one}`);
    const answers = await Promise.all(passwords.map((password) => confirm(token, password)));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    const accepted = answers.findIndex(({ status }) => status === 200);
    await signIn(email, passwords[accepted] ?? '').expect(200);
  });

  it('leaves no session open that a sign-in with the old password opens at the same time', async () => {
    const { email } = await registered();
    const token = await requested(email);
    const signIns = Array.from({ length: 6 }, () => signIn(email));
    const [reset, ...answers] = await Promise.all([confirm(token), ...signIns]);
    expect(reset.status).toBe(200);
    for (const { status, body } of answers) {
      expect([200, 401]).toContain(status);
      if (status !== 200) continue;
      const { access_token: accessToken } = body as Tokens;
      await api.as({ accessToken }).get('/v1/auth/me').expect(401);
    }
  });

  it('makes every other reset token of the account invalid', async () => {
    const { email } = await registered();
    const first = await requested(email);
    // Until the service has handled the first request it leaves out others for the address.
    await mailRequestsHandled();
    await ageMailedTokens(email, 61);
    await request(email).expect(200);
    const second = await mailedToken(email, 3);
    expect(second).not.toBe(first);
    expect(await validate(first)).toEqual({ valid: true });
    await confirm(second).expect(200);
    await confirm(first).expect(400, INVALID);
  });

  it('checks the new password as a registration does, and leaves the token valid after a refusal', async () => {
    const { email } = await registered();
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

  it('confirms the address of an account that was not confirmed before, because its owner has read the mail', async () => {
    const email = randomEmail();
    await api.post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
    await mailedToken(email);
    await confirm(await requested(email)).expect(200);
    await signIn(email, NEW_PASSWORD).expect(200);
  });

  it('removes a passkey that was added without a proof, and reports all passkeys in the log and by mail', async () => {
    const owner = await registered();
    const [old, recent, unproven] = [
      await addPasskey(owner, undefined, 'Old'),
      await addPasskey(owner, undefined, 'Visit https://evil.example'),
      await addPasskey(owner, undefined, 'Unproven'),
    ];
    await agePasskey(old.id, 1);
    await makePasskeyUnproven(unproven.id);
    await api
      .as(owner)
      .post('/v1/account/two-factor/setup', {})
      .set('X-Step-Up-Token', await fullStepUpToken(owner))
      .expect(200);

    await confirm(await requested(owner.email)).expect(200);
    const passwordless = async ({ authenticator }: AddedPasskey) => {
      const { challenge_token, options } = (await api.post('/v1/auth/passkey/passwordless/options', {}))
        .body as Ceremony;
      const credential = authenticator.get(options);
      return api.post('/v1/auth/passkey/passwordless/verify', { challenge_token, credential });
    };
    expect((await passwordless(unproven)).status).toBe(401);
    const { access_token: accessToken } = (await passwordless(old)).body as Tokens;
    const asOwner = api.as({ accessToken });
    const left = (await asOwner.get('/v1/account/passkeys')).body as { id: string }[];
    expect(left.map(({ id }) => id).sort()).toEqual([old.id, recent.id].sort());
    expect((await asOwner.get('/v1/account/two-factor')).body).toMatchObject({ pending: false });

    const [event] = (await securityEvents({ accessToken })).filter(({ type }) => type === 'password_reset');
    const inLog = ({ id }: AddedPasskey) => expect.objectContaining({ kind: 'passkey', passkey_id: id });
    expect(event?.detail).toEqual({
      factors_added: [inLog(recent)],
      passkeys_removed: [inLog(unproven)],
      factors_kept: [inLog(old)],
    });
    const [mail] = await mailsAbout(owner.email, 'Your password was reset');
    const minute = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC';
    const listed = [/Added since .*:/, /Removed, .*:/, /Older, .*:/].map(
      (heading) => `${heading.source}\\s+- passkey, added ${minute}\\s+`,
    );
    expect(mail?.text).toMatch(new RegExp(listed.join('')));
    expect(mail?.text).not.toContain('evil.example');
  });

  it('removes the recovery codes when it removes the only passkey', async () => {
    const owner = await registered();
    const { id } = await addPasskey(owner);
    await makePasskeyUnproven(id);
    await confirm(await requested(owner.email)).expect(200);
    expect((await signIn(owner.email, NEW_PASSWORD).expect(200)).body).toHaveProperty('access_token');
    expect(await storedSecondFactors(owner.id)).toMatchObject({ recoveryCodes: 0 });
  });

  it('ends the lockout of an address, so that the owner can sign in', async () => {
    const { email } = await registered();
    await failedSignIns(email, 29);
    await signIn(email, 'wrong-guess').expect(401);
    await signIn(email).expect(429);
    await confirm(await requested(email)).expect(200);
    await signIn(email, NEW_PASSWORD).expect(200);
    expect(await mailsAbout(email, 'Too many failed sign-in attempts')).toHaveLength(1);
  });

  it('stores and logs no token, and logs and mails no password', async () => {
    const user = await registered();
    const token = await requested(user.email);
    await confirm(token).expect(200);
    expect(await storedMailedTokens(user.id)).not.toContain(token);
    const log = await logText();
    expect(log).not.toContain(token);
    expect(log).not.toContain(NEW_PASSWORD);
    await mailsAbout(user.email, 'Your password was reset');
    const mails = await capturedMails(user.email);
    expect(mails.map(({ text }) => text).join('\n')).not.toContain(NEW_PASSWORD);
  });
});
