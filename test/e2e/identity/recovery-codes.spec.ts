import { describe, expect, it } from '@jest/globals';
import {
  addPasskey,
  challengeFor,
  fullStepUpToken,
  fullWidth,
  guardedByTotp,
  mailAbout,
  securityEventTypes,
  signIn,
  tally,
  totpCode,
  wrongCode,
} from '../../support/second-factors-api.js';
import { account, type Account, api, PASSWORD } from '../../support/service.js';
import { forgetUsedCodes, useUpRecoveryCodes } from '../../support/sql-builders/identity.js';

const REQUIRED = { detail: 'Second factor required' };
const DISABLE = '/v1/account/two-factor/disable';
const REGENERATE = '/v1/account/two-factor/recovery-codes/regenerate';
const VERIFY = '/v1/auth/mfa/recovery-code/verify';
const WRONG = { detail: 'Invalid authentication code' };
const NO_PASSWORD = { detail: 'Incorrect password' };

describe('a recovery code', () => {
  const status = async (by: Account) => (await api.as(by).get('/v1/account/two-factor').expect(200)).body as object;
  const answer = async ({ email }: Account, recovery_code: string) => {
    const { challenge_token } = await challengeFor(email);
    return api.post(VERIFY, { challenge_token, recovery_code });
  };

  it('signs its owner in once, however it is typed', async () => {
    const user = await guardedByTotp();
    const [first = '', second = '', third = '', fourth = ''] = user.recoveryCodes;
    expect(first).toMatch(/^([0-9a-z]{4}-){5}[0-9a-z]{4}$/);
    expect((await answer(user, first)).status).toBe(200);
    expect(await status(user)).toMatchObject({ recovery_codes_remaining: 9 });
    const again = await answer(user, first);
    expect([again.status, again.body]).toEqual([401, WRONG]);
    expect((await answer(user, ` ${second.toUpperCase().replaceAll('-', ' ')} `)).status).toBe(200);
    expect((await answer(user, third.replaceAll('-', ' \u2013\u00a0'))).status).toBe(200);
    expect((await answer(user, fullWidth(fourth))).status).toBe(200);
    await mailAbout(user.email, 'A recovery code of your account was used');
    expect(await securityEventTypes(user)).toContain('recovery_code_used');
  });

  it('is accepted once when 20 requests use it in parallel', async () => {
    const user = await guardedByTotp();
    const [recovery_code = ''] = user.recoveryCodes;
    const challenges = await Promise.all(Array.from({ length: 20 }, () => challengeFor(user.email)));
    const answers = await Promise.all(
      challenges.map(({ challenge_token }) => api.post(VERIFY, { challenge_token, recovery_code })),
    );
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid authentication code': 19 });
    expect(await status(user)).toMatchObject({ recovery_codes_remaining: 9 });
  });

  it('returns 401 when it belongs to another account', async () => {
    const [user, other] = [await guardedByTotp(), await guardedByTotp()];
    expect((await answer(user, other.recoveryCodes[0] ?? '')).status).toBe(401);
  });

  it('is not offered as a method when all codes are used', async () => {
    const user = await guardedByTotp();
    await useUpRecoveryCodes(user.id);
    expect((await challengeFor(user.email)).methods).toEqual(['totp']);
  });

  it('is replaced by a new one only for the password and a second factor', async () => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const proof = { current_password: PASSWORD };
    await asUser.post(REGENERATE, {}).expect(403, NO_PASSWORD);
    await asUser.post(REGENERATE, { current_password: 'wrong', code: totpCode(user.secret) }).expect(403, NO_PASSWORD);
    await asUser.post(REGENERATE, proof).expect(403, REQUIRED);
    await asUser.post(REGENERATE, { ...proof, code: wrongCode(user.secret) }).expect(401, WRONG);
    await asUser.post(REGENERATE, { ...proof, recovery_code: 'nope' }).expect(401, WRONG);
    expect(await status(user)).toMatchObject({ recovery_codes_remaining: 10 });

    const code = totpCode(user.secret);
    const replaced = await asUser.post(REGENERATE, { ...proof, code }).expect(200);
    const { recovery_codes: codes } = replaced.body as { recovery_codes: string[] };
    expect(codes).toHaveLength(10);
    await asUser.post(REGENERATE, { ...proof, code }).expect(401, WRONG);
    await asUser.post(REGENERATE, { ...proof, recovery_code: user.recoveryCodes[0] }).expect(401, WRONG);
    await asUser.post(REGENERATE, { ...proof, recovery_code: codes[0] }).expect(200);
    await mailAbout(user.email, 'The recovery codes of your account were replaced');
  });

  it('requires that the account has a second factor, and so does the removal of the app', async () => {
    const user = await account();
    const asUser = api.as(user);
    const none = { detail: 'Two-factor authentication is not enabled' };
    await asUser.post(REGENERATE, { current_password: PASSWORD }).expect(409, none);
    await asUser.post(DISABLE, { current_password: PASSWORD }).expect(409, none);
    await asUser.post(DISABLE, {}).expect(403, NO_PASSWORD);
    await api.post(DISABLE).expect(401, { detail: 'Not authenticated' });
    // A body without a required member can also be left out.
    await asUser.post(DISABLE).expect(403, NO_PASSWORD);
  });

  it('ends when the authenticator app is removed as the only factor, and the password alone signs in again', async () => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const proof = { current_password: PASSWORD };
    const open = await challengeFor(user.email);
    await asUser.post(DISABLE, proof).expect(403, REQUIRED);
    await asUser.post(DISABLE, { ...proof, code: wrongCode(user.secret) }).expect(401, WRONG);
    await asUser.post(DISABLE, { code: totpCode(user.secret) }).expect(403, NO_PASSWORD);
    const off = { enabled: false, pending: false, passkey_count: 0, recovery_codes_remaining: 0 };
    const answered = await asUser.post(DISABLE, { ...proof, code: totpCode(user.secret) }).expect(200);
    expect(answered.body).toEqual(off);
    expect(await status(user)).toEqual(off);
    expect((await signIn(user.email).expect(200)).body).toHaveProperty('access_token');
    const late = { challenge_token: open.challenge_token, recovery_code: user.recoveryCodes[0] };
    await api.post(VERIFY, late).expect(401, { detail: 'Invalid or expired challenge' });
    await mailAbout(user.email, 'The authenticator app was removed from your account');
  });

  it('removes a lost authenticator app and is used up, while the other codes stay for a passkey', async () => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    expect((await addPasskey(user)).recoveryCodes).toBeUndefined();
    const [recovery_code] = user.recoveryCodes;
    const answered = await asUser.post(DISABLE, { current_password: PASSWORD, recovery_code }).expect(200);
    expect(answered.body).toEqual({ enabled: false, pending: false, passkey_count: 1, recovery_codes_remaining: 9 });
    expect((await challengeFor(user.email)).methods).toEqual(['passkey', 'recovery_code']);
  });

  it('replaces the codes of a passkey when the setup that issued it is confirmed, and not before', async () => {
    const user = await account();
    const asUser = api.as(user);
    const { recoveryCodes: [ofPasskey = ''] = [] } = await addPasskey(user);
    const setUp = (proof: object) => asUser.post('/v1/account/two-factor/setup', proof);
    await setUp({ current_password: PASSWORD }).expect(403, REQUIRED);
    const setup = await setUp({})
      .set('X-Step-Up-Token', await fullStepUpToken(user))
      .expect(200);
    const { secret, recovery_codes: [ofSetup = ''] = [] } = setup.body as { secret: string; recovery_codes?: string[] };
    expect((await answer(user, ofSetup)).status).toBe(401);
    await asUser.post('/v1/account/two-factor/enable', { code: totpCode(secret) }).expect(200);
    expect((await answer(user, ofPasskey)).status).toBe(401);
    expect((await answer(user, ofSetup)).status).toBe(200);
    await forgetUsedCodes(user.id);
    expect((await challengeFor(user.email)).methods).toEqual(['totp', 'passkey', 'recovery_code']);
  });
});
