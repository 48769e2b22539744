import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  challengeFor,
  eventTypes,
  guardedByTotp,
  mailAbout,
  post,
  signIn,
  tally,
  totpCode,
  wrongCode,
} from '../../support/second-factors.js';

const SETUP = '/v1/account/two-factor/setup';
const ENABLE = '/v1/account/two-factor/enable';
const DISABLE = '/v1/account/two-factor/disable';
const VERIFY = '/v1/auth/mfa/totp/verify';
const TOKENS = expect.objectContaining({ access_token: expect.any(String), token_type: 'bearer' });
const GONE = { detail: 'Invalid or expired challenge' };
const LOCKED = { detail: 'Too many failed sign-in attempts' };

describe('the lockout of second factors', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  it('comes with the 20th failure, ends open challenges and leaves the password alone', async () => {
    const actor = await guardedByTotp(app);
    const open = await challengeFor(app, actor.email);
    const code = wrongCode(actor.secret);
    for (let n = 0; n < 10; n += 1) await signIn(app, actor.email, { otp_code: code }).expect(200);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        signIn(app, actor.email, n % 2 === 0 ? { otp_code: code } : { recovery_code: 'nope' }),
      ),
    );
    // The one that fills the count meets the lock it made.
    expect(tally(answers)).toEqual({ '200': 9, '429 Too many failed sign-in attempts': 1 });
    await post(app, VERIFY, { challenge_token: open.challenge_token, code: totpCode(actor.secret) }).expect(401, GONE);

    const refused = await signIn(app, actor.email, { otp_code: totpCode(actor.secret) }).expect(429, LOCKED);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(890);
    await signIn(app, actor.email).expect(429, LOCKED);
    await signIn(app, actor.email, { password: 'wrong' }).expect(401);
    const proof = { current_password: PASSWORD, recovery_code: actor.recoveryCodes[0] };
    await post(app, DISABLE, proof, actor.bearer).expect(429, LOCKED);
    await post(app, '/v1/auth/step-up', { code: totpCode(actor.secret) }, actor.bearer).expect(429, LOCKED);
    expect(await eventTypes(app, actor.id)).toContain('second_factor_locked');
    await mailAbout(app, actor.email, 'Too many failed attempts at your second factor');

    await app.rows('UPDATE second_factor_failures SET locked_until = now() WHERE user_id = $1', [actor.id]);
    expect((await signIn(app, actor.email, { otp_code: totpCode(actor.secret) }).expect(200)).body).toEqual(TOKENS);
  });

  it('counts failures of the last 15 minutes, and a success starts the count anew', async () => {
    const actor = await guardedByTotp(app);
    const fail = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n += 1) await signIn(app, actor.email, { recovery_code: 'nope' }).expect(200);
    };
    await fail(19);
    await signIn(app, actor.email, { otp_code: totpCode(actor.secret) }).expect(200);
    await fail(19);
    await app.rows(
      `UPDATE second_factor_failures SET failed_at =
         ARRAY(SELECT t - interval '15 minutes' FROM unnest(failed_at) t) WHERE user_id = $1`,
      [actor.id],
    );
    await fail(19);
    await signIn(app, actor.email, { recovery_code: 'nope' }).expect(429, LOCKED);
  });

  it('does not count wrong codes of a setup', async () => {
    const actor = await signedIn(app);
    const { secret } = (await post(app, SETUP, { current_password: PASSWORD }, actor.bearer)).body as {
      secret: string;
    };
    for (let n = 0; n < 21; n += 1) await post(app, ENABLE, { code: wrongCode(secret) }, actor.bearer).expect(400);
    await post(app, ENABLE, { code: totpCode(secret) }, actor.bearer).expect(200);
  });
});
