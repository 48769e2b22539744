import { describe, expect, it } from '@jest/globals';
import {
  challengeFor,
  guardedByTotp,
  mailAbout,
  securityEventTypes,
  signIn,
  tally,
  totpCode,
  wrongCode,
} from '../../support/second-factors-api.js';
import { account, api, PASSWORD } from '../../support/service.js';
import { ageSecondFactorFailures, endSecondFactorLockout } from '../../support/sql-builders/identity.js';

const SETUP = '/v1/account/two-factor/setup';
const ENABLE = '/v1/account/two-factor/enable';
const DISABLE = '/v1/account/two-factor/disable';
const VERIFY = '/v1/auth/mfa/totp/verify';
const TOKENS = expect.objectContaining({ access_token: expect.any(String), token_type: 'bearer' });
const GONE = { detail: 'Invalid or expired challenge' };
const LOCKED = { detail: 'Too many failed sign-in attempts' };

describe('the lockout of a second factor', () => {
  it('begins at the 20th failure, ends open challenges, and returns 401 for a wrong password as before', async () => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const open = await challengeFor(user.email);
    const code = wrongCode(user.secret);
    for (let n = 0; n < 10; n += 1) await signIn(user.email, { otp_code: code }).expect(200);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        signIn(user.email, n % 2 === 0 ? { otp_code: code } : { recovery_code: 'nope' }),
      ),
    );
    // The 20th failure is refused by the lockout that it begins.
    expect(tally(answers)).toEqual({ '200': 9, '429 Too many failed sign-in attempts': 1 });
    await api.post(VERIFY, { challenge_token: open.challenge_token, code: totpCode(user.secret) }).expect(401, GONE);

    const refused = await signIn(user.email, { otp_code: totpCode(user.secret) }).expect(429, LOCKED);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(890);
    await signIn(user.email).expect(429, LOCKED);
    await signIn(user.email, { password: 'wrong' }).expect(401);
    const proof = { current_password: PASSWORD, recovery_code: user.recoveryCodes[0] };
    await asUser.post(DISABLE, proof).expect(429, LOCKED);
    await asUser.post('/v1/auth/step-up', { code: totpCode(user.secret) }).expect(429, LOCKED);
    expect(await securityEventTypes(user)).toContain('second_factor_locked');
    await mailAbout(user.email, 'Too many failed attempts at your second factor');

    await endSecondFactorLockout(user.id);
    expect((await signIn(user.email, { otp_code: totpCode(user.secret) }).expect(200)).body).toEqual(TOKENS);
  });

  it('counts the failures of the last 15 minutes, and counts from zero after a success', async () => {
    const user = await guardedByTotp();
    const fail = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n += 1) await signIn(user.email, { recovery_code: 'nope' }).expect(200);
    };
    await fail(19);
    await signIn(user.email, { otp_code: totpCode(user.secret) }).expect(200);
    await fail(19);
    await ageSecondFactorFailures(user.id, 15);
    await fail(19);
    await signIn(user.email, { recovery_code: 'nope' }).expect(429, LOCKED);
  });

  it('does not count wrong codes of a setup', async () => {
    const user = await account();
    const asUser = api.as(user);
    const { secret } = (await asUser.post(SETUP, { current_password: PASSWORD })).body as {
      secret: string;
    };
    for (let n = 0; n < 21; n += 1) await asUser.post(ENABLE, { code: wrongCode(secret) }).expect(400);
    await asUser.post(ENABLE, { code: totpCode(secret) }).expect(200);
  });
});
