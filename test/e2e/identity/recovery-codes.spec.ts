import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  addPasskey,
  challengeFor,
  eventTypes,
  forgetUsedCodes,
  fullWidth,
  get,
  type Guarded,
  guardedByTotp,
  mailAbout,
  post,
  signIn,
  stepUpOf,
  tally,
  totpCode,
  wrongCode,
} from '../../support/second-factors.js';

const REQUIRED = { detail: 'Second factor required' };
const DISABLE = '/v1/account/two-factor/disable';
const REGENERATE = '/v1/account/two-factor/recovery-codes/regenerate';
const VERIFY = '/v1/auth/mfa/recovery-code/verify';
const WRONG = { detail: 'Invalid authentication code' };
const NO_PASSWORD = { detail: 'Incorrect password' };

describe('recovery codes and the removal of the authenticator app', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const status = async (bearer: string) =>
    (await get(app, '/v1/account/two-factor', bearer).expect(200)).body as object;
  const answer = async (actor: Guarded, recovery_code: string) => {
    const { challenge_token } = await challengeFor(app, actor.email);
    return post(app, VERIFY, { challenge_token, recovery_code });
  };

  it('let in once each, however they are typed', async () => {
    const actor = await guardedByTotp(app);
    const [first = '', second = '', third = '', fourth = ''] = actor.recoveryCodes;
    expect(first).toMatch(/^([0-9a-z]{4}-){5}[0-9a-z]{4}$/);
    expect((await answer(actor, first)).status).toBe(200);
    expect(await status(actor.bearer)).toMatchObject({ recovery_codes_remaining: 9 });
    const again = await answer(actor, first);
    expect([again.status, again.body]).toEqual([401, WRONG]);
    expect((await answer(actor, ` ${second.toUpperCase().replaceAll('-', ' ')} `)).status).toBe(200);
    expect((await answer(actor, third.replaceAll('-', ' \u2013\u00a0'))).status).toBe(200);
    expect((await answer(actor, fullWidth(fourth))).status).toBe(200);
    await mailAbout(app, actor.email, 'A recovery code of your account was used');
    expect(await eventTypes(app, actor.id)).toContain('recovery_code_used');
  });

  it('are accepted once of 20 parallel uses of one', async () => {
    const actor = await guardedByTotp(app);
    const [recovery_code = ''] = actor.recoveryCodes;
    const challenges = await Promise.all(Array.from({ length: 20 }, () => challengeFor(app, actor.email)));
    const answers = await Promise.all(
      challenges.map(({ challenge_token }) => post(app, VERIFY, { challenge_token, recovery_code })),
    );
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid authentication code': 19 });
    expect(await status(actor.bearer)).toMatchObject({ recovery_codes_remaining: 9 });
  });

  it('belong to one account', async () => {
    const [actor, other] = [await guardedByTotp(app), await guardedByTotp(app)];
    expect((await answer(actor, other.recoveryCodes[0] ?? '')).status).toBe(401);
  });

  it('are no longer offered when all are used', async () => {
    const actor = await guardedByTotp(app);
    await app.rows('UPDATE recovery_codes SET used_at = now() WHERE user_id = $1', [actor.id]);
    expect((await challengeFor(app, actor.email)).methods).toEqual(['totp']);
  });

  it('are replaced with the password and a code', async () => {
    const actor = await guardedByTotp(app);
    const proof = { current_password: PASSWORD };
    await post(app, REGENERATE, {}, actor.bearer).expect(403, NO_PASSWORD);
    await post(app, REGENERATE, { current_password: 'wrong', code: totpCode(actor.secret) }, actor.bearer).expect(
      403,
      NO_PASSWORD,
    );
    await post(app, REGENERATE, proof, actor.bearer).expect(403, REQUIRED);
    await post(app, REGENERATE, { ...proof, code: wrongCode(actor.secret) }, actor.bearer).expect(401, WRONG);
    await post(app, REGENERATE, { ...proof, recovery_code: 'nope' }, actor.bearer).expect(401, WRONG);
    expect(await status(actor.bearer)).toMatchObject({ recovery_codes_remaining: 10 });

    const code = totpCode(actor.secret);
    const replaced = await post(app, REGENERATE, { ...proof, code }, actor.bearer).expect(200);
    const { recovery_codes: codes } = replaced.body as { recovery_codes: string[] };
    expect(codes).toHaveLength(10);
    await post(app, REGENERATE, { ...proof, code }, actor.bearer).expect(401, WRONG);
    await post(app, REGENERATE, { ...proof, recovery_code: actor.recoveryCodes[0] }, actor.bearer).expect(401, WRONG);
    await post(app, REGENERATE, { ...proof, recovery_code: codes[0] }, actor.bearer).expect(200);
    await mailAbout(app, actor.email, 'The recovery codes of your account were replaced');
  });

  it('are not made for an account without a second factor', async () => {
    const actor = await signedIn(app);
    const none = { detail: 'Two-factor authentication is not enabled' };
    await post(app, REGENERATE, { current_password: PASSWORD }, actor.bearer).expect(409, none);
    await post(app, DISABLE, { current_password: PASSWORD }, actor.bearer).expect(409, none);
    await post(app, DISABLE, {}, actor.bearer).expect(403, NO_PASSWORD);
    await app.request().post(DISABLE).expect(401, { detail: 'Not authenticated' });
    // A body without a required field may also be left out.
    await app.request().post(DISABLE).set('Authorization', actor.bearer).expect(403, NO_PASSWORD);
  });

  it('go with the authenticator app when nothing else is left, and sign-in needs the password alone', async () => {
    const actor = await guardedByTotp(app);
    const proof = { current_password: PASSWORD };
    const open = await challengeFor(app, actor.email);
    await post(app, DISABLE, proof, actor.bearer).expect(403, REQUIRED);
    await post(app, DISABLE, { ...proof, code: wrongCode(actor.secret) }, actor.bearer).expect(401, WRONG);
    await post(app, DISABLE, { code: totpCode(actor.secret) }, actor.bearer).expect(403, NO_PASSWORD);
    const off = { enabled: false, pending: false, passkey_count: 0, recovery_codes_remaining: 0 };
    const answered = await post(app, DISABLE, { ...proof, code: totpCode(actor.secret) }, actor.bearer).expect(200);
    expect(answered.body).toEqual(off);
    expect(await status(actor.bearer)).toEqual(off);
    expect((await signIn(app, actor.email).expect(200)).body).toHaveProperty('access_token');
    const late = { challenge_token: open.challenge_token, recovery_code: actor.recoveryCodes[0] };
    await post(app, VERIFY, late).expect(401, { detail: 'Invalid or expired challenge' });
    await mailAbout(app, actor.email, 'The authenticator app was removed from your account');
  });

  it('can remove a lost app, which uses one up, and stay while a passkey is left', async () => {
    const actor = await guardedByTotp(app);
    expect((await addPasskey(app, actor)).recoveryCodes).toBeUndefined();
    const [recovery_code] = actor.recoveryCodes;
    const answered = await post(app, DISABLE, { current_password: PASSWORD, recovery_code }, actor.bearer).expect(200);
    expect(answered.body).toEqual({ enabled: false, pending: false, passkey_count: 1, recovery_codes_remaining: 9 });
    expect((await challengeFor(app, actor.email)).methods).toEqual(['passkey', 'recovery_code']);
  });

  it('of a setup come into force with it and not before', async () => {
    const actor = await signedIn(app);
    const { recoveryCodes: [ofPasskey = ''] = [] } = await addPasskey(app, actor);
    const setUp = (proof: object) => post(app, '/v1/account/two-factor/setup', proof, actor.bearer);
    await setUp({ current_password: PASSWORD }).expect(403, REQUIRED);
    const setup = await setUp({})
      .set('X-Step-Up-Token', await stepUpOf(app, actor.bearer))
      .expect(200);
    const { secret, recovery_codes: [ofSetup = ''] = [] } = setup.body as { secret: string; recovery_codes?: string[] };
    const guarded = { ...actor, secret, recoveryCodes: [] };
    expect((await answer(guarded, ofSetup)).status).toBe(401);
    await post(app, '/v1/account/two-factor/enable', { code: totpCode(secret) }, actor.bearer).expect(200);
    expect((await answer(guarded, ofPasskey)).status).toBe(401);
    expect((await answer(guarded, ofSetup)).status).toBe(200);
    await forgetUsedCodes(app, actor.id);
    expect((await challengeFor(app, actor.email)).methods).toEqual(['totp', 'passkey', 'recovery_code']);
  });
});
