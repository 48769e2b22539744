import { describe, expect, it } from '@jest/globals';
import {
  challengeFor,
  fullWidth,
  guardedByTotp,
  mailAbout,
  securityEventTypes,
  signIn,
  tally,
  type Tokens,
  totpCode,
  wrongCode,
} from '../../support/second-factors-api.js';
import { account, type Account, api, PASSWORD } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import {
  copyTotpSecret,
  expireSignInChallenges,
  forgetUsedCodes,
  revokeSessionsSilently,
  storedSecondFactors,
} from '../../support/sql-builders/identity.js';

const SETUP = '/v1/account/two-factor/setup';
const ENABLE = '/v1/account/two-factor/enable';
const VERIFY = '/v1/auth/mfa/totp/verify';
const VERIFY_RECOVERY = '/v1/auth/mfa/recovery-code/verify';
const TOKENS = expect.objectContaining({ access_token: expect.any(String), token_type: 'bearer' });
const WRONG = { detail: 'Invalid authentication code' };
const GONE = { detail: 'Invalid or expired challenge' };

const status = async (by: Account) => (await api.as(by).get('/v1/account/two-factor').expect(200)).body as object;

describe('the setup of an authenticator app', () => {
  it('requires the current password, returns a secret and recovery codes, and takes effect with the first code', async () => {
    const user = await account();
    const asUser = api.as(user);
    const off = { enabled: false, pending: false, passkey_count: 0, recovery_codes_remaining: 0 };
    expect(await status(user)).toEqual(off);
    await asUser.post(SETUP, {}).expect(403, { detail: 'Incorrect password' });
    await asUser.post(SETUP, { current_password: 'wrong' }).expect(403, { detail: 'Incorrect password' });
    await asUser.post(ENABLE, { code: '123456' }).expect(409, {
      detail: 'No two-factor setup is pending',
    });

    const setup = await asUser.post(SETUP, { current_password: PASSWORD }).expect(200);
    const body = setup.body as { secret: string; otpauth_url: string; recovery_codes: string[] };
    expect(Object.keys(body).sort()).toEqual(['otpauth_url', 'recovery_codes', 'secret']);
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(body.otpauth_url).searchParams.get('secret')).toBe(body.secret);
    expect(body.recovery_codes).toHaveLength(10);
    expect(new Set(body.recovery_codes).size).toBe(10);
    expect(await status(user)).toEqual({ ...off, pending: true });
    // The password alone signs in until the setup is confirmed.
    expect((await signIn(user.email).expect(200)).body).toEqual(TOKENS);

    await asUser.post(ENABLE, { code: wrongCode(body.secret) }).expect(400, WRONG);
    const enabled = await asUser.post(ENABLE, { code: totpCode(body.secret) }).expect(200);
    const on = { enabled: true, pending: false, passkey_count: 0, recovery_codes_remaining: 10 };
    expect(enabled.body).toEqual(on);
    expect(await status(user)).toEqual(on);
    expect((await asUser.get('/v1/auth/me')).body).toMatchObject({ two_factor_enabled: true });
    await asUser.post(SETUP, { current_password: PASSWORD }).expect(409, {
      detail: 'Two-factor authentication is already enabled',
    });
    expect(await securityEventTypes(user)).toEqual(expect.arrayContaining(['totp_setup_started', 'totp_enabled']));
    await mailAbout(user.email, 'An authenticator app was added to your account');
  });

  it('replaces a pending setup when it is started again', async () => {
    const user = await account();
    const asUser = api.as(user);
    const begin = async () =>
      (await asUser.post(SETUP, { current_password: PASSWORD }).expect(200)).body as { secret: string };
    const [first, second] = [await begin(), await begin()];
    await asUser.post(ENABLE, { code: totpCode(first.secret) }).expect(400, WRONG);
    await asUser.post(ENABLE, { code: totpCode(second.secret) }).expect(200);
    expect(await status(user)).toMatchObject({ recovery_codes_remaining: 10 });
  });

  it('stores the secret encrypted and the recovery codes as hashes, and logs neither', async () => {
    const user = await guardedByTotp();
    const { text: stored, ...counts } = await storedSecondFactors(user.id);
    expect(counts).toEqual({ totpFactors: 1, recoveryCodes: 10 });
    const log = await logText();
    for (const text of [user.secret, ...user.recoveryCodes]) {
      expect(stored).not.toContain(text);
      expect(log).not.toContain(text);
    }
  });

  it('returns 401 in a session that was revoked while the service still remembers it as valid', async () => {
    const user = await account();
    const asUser = api.as(user);
    await asUser.get('/v1/auth/me').expect(200);
    await revokeSessionsSilently(user.id);
    await asUser.post(SETUP, { current_password: PASSWORD }).expect(401, { detail: 'Not authenticated' });
    expect(await storedSecondFactors(user.id)).toMatchObject({ totpFactors: 0 });
  });
});

describe('a sign-in with an authenticator app', () => {
  it('requires a code and accepts each code once, including the one that enabled the app', async () => {
    const user = await account();
    const asUser = api.as(user);
    const { secret } = (await asUser.post(SETUP, { current_password: PASSWORD })).body as {
      secret: string;
    };
    const first = totpCode(secret);
    await asUser.post(ENABLE, { code: first }).expect(200);

    const challenge = await challengeFor(user.email);
    expect(challenge).toEqual({
      mfa_required: true,
      challenge_token: expect.stringMatching(/^[\w-]{43}$/),
      challenge_expires_in: 300,
      methods: ['totp', 'recovery_code'],
    });
    const { challenge_token } = challenge;
    const methods = await api.post('/v1/auth/mfa/methods', { challenge_token }).expect(200);
    expect(methods.body).toEqual({ methods: ['totp', 'recovery_code'], challenge_expires_in: expect.any(Number) });
    await api.post(VERIFY, { challenge_token, code: first }).expect(401, WRONG);
    const next = totpCode(secret, 1);
    const answer = await api.post(VERIFY, { challenge_token, code: next }).expect(200);
    expect(answer.body).toEqual(TOKENS);
    expect(answer.body).not.toHaveProperty('trusted_device_token');
    const { access_token } = answer.body as Tokens;
    await api.as({ accessToken: access_token }).get('/v1/auth/me').expect(200);

    await api.post(VERIFY, { challenge_token, code: next }).expect(401, GONE);
    const again = await challengeFor(user.email);
    await api.post(VERIFY, { challenge_token: again.challenge_token, code: next }).expect(401, WRONG);
  });

  it('accepts the codes of the neighbouring time steps and no others', async () => {
    const user = await guardedByTotp();
    for (const steps of [-2, 3]) {
      const { challenge_token } = await challengeFor(user.email);
      await api.post(VERIFY, { challenge_token, code: totpCode(user.secret, steps) }).expect(401, WRONG);
    }
    for (const steps of [-1, 1]) {
      await forgetUsedCodes(user.id);
      const { challenge_token } = await challengeFor(user.email);
      const stepNow = (): number => Math.floor(Date.now() / 30_000);
      let [before, status] = [-1, 0];
      // The request is repeated when the time step changed meanwhile, because the code can then be too old.
      do {
        before = stepNow();
        ({ status } = await api.post(VERIFY, { challenge_token, code: totpCode(user.secret, steps) }));
      } while (status !== 200 && before !== stepNow());
      expect(status).toBe(200);
    }
  });

  it('accepts a code in full-width digits and with any blanks and dashes, wherever a code is sent', async () => {
    const user = await account();
    const asUser = api.as(user);
    const setup = await asUser.post(SETUP, { current_password: PASSWORD });
    const { secret } = setup.body as { secret: string };
    await asUser.post(ENABLE, { code: fullWidth(totpCode(secret)) }).expect(200);
    const spaced = (): string => totpCode(secret).replace(/^.../, '$&\u2009\u2013');
    const useAgain = () => forgetUsedCodes(user.id);
    await useAgain();
    const { challenge_token } = await challengeFor(user.email);
    await api.post(VERIFY, { challenge_token, code: spaced() }).expect(200);
    await useAgain();
    expect((await signIn(user.email, { otp_code: fullWidth(totpCode(secret)) }).expect(200)).body).toEqual(TOKENS);
    await useAgain();
    await asUser.post('/v1/auth/step-up', { code: spaced() }).expect(200);
    await useAgain();
    const proof = { current_password: PASSWORD, code: fullWidth(spaced()) };
    await asUser.post('/v1/account/two-factor/disable', proof).expect(200);
  });

  it('accepts otp_code or recovery_code with the password, and returns a challenge for a wrong code', async () => {
    const user = await guardedByTotp();
    // The same code is sent again below. A code computed later could be that of the next time step, which is valid.
    const otp_code = totpCode(user.secret);
    expect((await signIn(user.email, { otp_code }).expect(200)).body).toEqual(TOKENS);
    const [code = ''] = user.recoveryCodes;
    expect((await signIn(user.email, { recovery_code: code }).expect(200)).body).toEqual(TOKENS);
    for (const fields of [{ otp_code }, { recovery_code: code }, { otp_code: 'abc' }]) {
      expect((await signIn(user.email, fields).expect(200)).body).toMatchObject({ mfa_required: true });
    }
    await signIn(user.email, { password: 'wrong', otp_code: totpCode(user.secret, 1) }).expect(401, {
      detail: 'Incorrect email or password',
    });
  });

  it('issues a challenge token that no other route accepts', async () => {
    const user = await guardedByTotp();
    const { challenge_token } = await challengeFor(user.email);
    const asChallenge = api.as({ accessToken: challenge_token });
    await asChallenge.get('/v1/auth/me').expect(401, { detail: 'Not authenticated' });
    await asChallenge.post(SETUP, { current_password: PASSWORD }).expect(401, { detail: 'Not authenticated' });
    await asChallenge.post('/v1/account/passkeys/register/options', {}).expect(401);
    await api.post('/v1/auth/refresh', { refresh_token: challenge_token }).expect(401);
    await api.post(VERIFY, { challenge_token: user.accessToken, code: totpCode(user.secret) }).expect(401, GONE);
  });

  it('accepts a code once when 20 requests use it in parallel', async () => {
    const user = await guardedByTotp();
    const code = totpCode(user.secret);
    const challenges = await Promise.all(Array.from({ length: 20 }, () => challengeFor(user.email)));
    const answers = await Promise.all(
      challenges.map(({ challenge_token }) => api.post(VERIFY, { challenge_token, code })),
    );
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid authentication code': 19 });
  });

  it('returns 500 when the stored secret was copied from another account', async () => {
    const [user, other] = [await guardedByTotp(), await guardedByTotp()];
    // The encryption binds a secret to its row.
    await copyTotpSecret(user.id, other.id);
    const { challenge_token } = await challengeFor(other.email);
    await api.post(VERIFY, { challenge_token, code: totpCode(user.secret) }).expect(500);
  });
});

describe('the challenge of a sign-in', () => {
  it('ends after five wrong answers of any kind', async () => {
    const user = await guardedByTotp();
    const { challenge_token } = await challengeFor(user.email);
    const code = wrongCode(user.secret);
    for (let n = 0; n < 3; n += 1) await api.post(VERIFY, { challenge_token, code }).expect(401, WRONG);
    for (let n = 0; n < 2; n += 1) {
      await api.post(VERIFY_RECOVERY, { challenge_token, recovery_code: 'nope' }).expect(401, WRONG);
    }
    await api.post(VERIFY, { challenge_token, code: totpCode(user.secret) }).expect(401, GONE);
    await api.post('/v1/auth/mfa/methods', { challenge_token }).expect(401, GONE);
  });

  it('ends after five minutes, and then gets the same error as an unknown one', async () => {
    const user = await guardedByTotp();
    const { challenge_token } = await challengeFor(user.email);
    const { body } = await api.post('/v1/auth/mfa/methods', { challenge_token }).expect(200);
    const { challenge_expires_in: seconds } = body as { challenge_expires_in: number };
    expect(seconds).toBeGreaterThan(290);
    expect(seconds).toBeLessThanOrEqual(300);
    await expireSignInChallenges(user.id);
    const code = totpCode(user.secret);
    await api.post(VERIFY, { challenge_token, code }).expect(401, GONE);
    await api.post(VERIFY, { challenge_token: 'nobody-knows-this', code }).expect(401, GONE);
    await api.post('/v1/auth/mfa/passkey/options', { challenge_token }).expect(401, GONE);
  });

  it('counts five of 20 wrong answers that are sent in parallel, and then ends', async () => {
    const user = await guardedByTotp();
    const { challenge_token } = await challengeFor(user.email);
    const code = wrongCode(user.secret);
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.post(VERIFY, { challenge_token, code })));
    expect(tally(answers)).toEqual({ '401 Invalid authentication code': 5, '401 Invalid or expired challenge': 15 });
  });

  it('accepts one of 20 right answers that are sent in parallel', async () => {
    const user = await guardedByTotp();
    const { challenge_token } = await challengeFor(user.email);
    const answers = await Promise.all(
      user.recoveryCodes
        .flatMap((code) => [code, code])
        .map((recovery_code) => api.post(VERIFY_RECOVERY, { challenge_token, recovery_code })),
    );
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid or expired challenge': 19 });
    expect(await status(user)).toMatchObject({ recovery_codes_remaining: 9 });
  });
});
