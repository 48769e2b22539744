import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  challengeFor,
  eventTypes,
  forgetUsedCodes,
  fullWidth,
  get,
  guardedByTotp,
  mailAbout,
  post,
  signIn,
  tally,
  type Tokens,
  totpCode,
  wrongCode,
} from '../../support/second-factors.js';

const SETUP = '/v1/account/two-factor/setup';
const ENABLE = '/v1/account/two-factor/enable';
const VERIFY = '/v1/auth/mfa/totp/verify';
const VERIFY_RECOVERY = '/v1/auth/mfa/recovery-code/verify';
const TOKENS = expect.objectContaining({ access_token: expect.any(String), token_type: 'bearer' });
const WRONG = { detail: 'Invalid authentication code' };
const GONE = { detail: 'Invalid or expired challenge' };

describe('two-factor authentication', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const status = async (bearer: string) =>
    (await get(app, '/v1/account/two-factor', bearer).expect(200)).body as object;

  describe('setting up', () => {
    it('goes from the current password over the secret to the first code', async () => {
      const actor = await signedIn(app);
      const off = { enabled: false, pending: false, passkey_count: 0, recovery_codes_remaining: 0 };
      expect(await status(actor.bearer)).toEqual(off);
      await post(app, SETUP, {}, actor.bearer).expect(403, { detail: 'Incorrect password' });
      await post(app, SETUP, { current_password: 'wrong' }, actor.bearer).expect(403, { detail: 'Incorrect password' });
      await post(app, ENABLE, { code: '123456' }, actor.bearer).expect(409, {
        detail: 'No two-factor setup is pending',
      });

      const setup = await post(app, SETUP, { current_password: PASSWORD }, actor.bearer).expect(200);
      const body = setup.body as { secret: string; otpauth_url: string; recovery_codes: string[] };
      expect(Object.keys(body).sort()).toEqual(['otpauth_url', 'recovery_codes', 'secret']);
      expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
      expect(new URL(body.otpauth_url).searchParams.get('secret')).toBe(body.secret);
      expect(body.recovery_codes).toHaveLength(10);
      expect(new Set(body.recovery_codes).size).toBe(10);
      expect(await status(actor.bearer)).toEqual({ ...off, pending: true });
      // Nothing guards the sign-in until the setup is confirmed.
      expect((await signIn(app, actor.email).expect(200)).body).toEqual(TOKENS);

      await post(app, ENABLE, { code: wrongCode(body.secret) }, actor.bearer).expect(400, WRONG);
      const enabled = await post(app, ENABLE, { code: totpCode(body.secret) }, actor.bearer).expect(200);
      const on = { enabled: true, pending: false, passkey_count: 0, recovery_codes_remaining: 10 };
      expect(enabled.body).toEqual(on);
      expect(await status(actor.bearer)).toEqual(on);
      expect((await get(app, '/v1/auth/me', actor.bearer)).body).toMatchObject({ two_factor_enabled: true });
      await post(app, SETUP, { current_password: PASSWORD }, actor.bearer).expect(409, {
        detail: 'Two-factor authentication is already enabled',
      });
      expect(await eventTypes(app, actor.id)).toEqual(expect.arrayContaining(['totp_setup_started', 'totp_enabled']));
      await mailAbout(app, actor.email, 'An authenticator app was added to your account');
    });

    it('takes the place of a pending one when begun again', async () => {
      const actor = await signedIn(app);
      const begin = async () =>
        (await post(app, SETUP, { current_password: PASSWORD }, actor.bearer).expect(200)).body as { secret: string };
      const [first, second] = [await begin(), await begin()];
      await post(app, ENABLE, { code: totpCode(first.secret) }, actor.bearer).expect(400, WRONG);
      await post(app, ENABLE, { code: totpCode(second.secret) }, actor.bearer).expect(200);
      expect(await status(actor.bearer)).toMatchObject({ recovery_codes_remaining: 10 });
    });

    it('keeps the secret encrypted and the recovery codes as hashes', async () => {
      const actor = await guardedByTotp(app);
      const stored = JSON.stringify([
        await app.rows('SELECT * FROM totp_factors WHERE user_id = $1', [actor.id]),
        await app.rows(`SELECT encode(code_hash, 'escape') FROM recovery_codes WHERE user_id = $1`, [actor.id]),
      ]);
      const log = app.logLines.join('');
      for (const text of [actor.secret, ...actor.recoveryCodes]) {
        expect(stored).not.toContain(text);
        expect(log).not.toContain(text);
      }
      // The ciphertext belongs to its row: moved to another account it does not open.
      const other = await guardedByTotp(app);
      await app.rows(
        'UPDATE totp_factors SET secret = (SELECT secret FROM totp_factors WHERE user_id = $1) WHERE user_id = $2',
        [actor.id, other.id],
      );
      const { challenge_token } = await challengeFor(app, other.email);
      await post(app, VERIFY, { challenge_token, code: totpCode(actor.secret) }).expect(500);
    });

    it('is not begun in a session that was revoked on the way', async () => {
      const actor = await signedIn(app);
      await get(app, '/v1/auth/me', actor.bearer).expect(200);
      await app.rows('UPDATE sessions SET revoked_at = now() WHERE user_id = $1', [actor.id]);
      await post(app, SETUP, { current_password: PASSWORD }, actor.bearer).expect(401, { detail: 'Not authenticated' });
      expect(await app.rows('SELECT 1 FROM totp_factors WHERE user_id = $1', [actor.id])).toEqual([]);
    });

    it('is unavailable while credential encryption is switched off', async () => {
      const plain = await createTestApp({ env: { CREDENTIAL_ENCRYPTION_KEYS: 'disabled' } });
      try {
        const actor = await signedIn(plain);
        const answer = await post(plain, SETUP, { current_password: PASSWORD }, actor.bearer).expect(503);
        expect(answer.body).toEqual({ detail: 'Two-factor setup is unavailable' });
      } finally {
        await plain.close();
      }
    });
  });

  describe('signing in', () => {
    it('asks for the second factor and takes a code once, also the one that enabled it', async () => {
      const actor = await signedIn(app);
      const { secret } = (await post(app, SETUP, { current_password: PASSWORD }, actor.bearer)).body as {
        secret: string;
      };
      const first = totpCode(secret);
      await post(app, ENABLE, { code: first }, actor.bearer).expect(200);

      const challenge = await challengeFor(app, actor.email);
      expect(challenge).toEqual({
        mfa_required: true,
        challenge_token: expect.stringMatching(/^[\w-]{43}$/),
        challenge_expires_in: 300,
        methods: ['totp', 'recovery_code'],
      });
      const { challenge_token } = challenge;
      const methods = await post(app, '/v1/auth/mfa/methods', { challenge_token }).expect(200);
      expect(methods.body).toEqual({ methods: ['totp', 'recovery_code'], challenge_expires_in: expect.any(Number) });
      await post(app, VERIFY, { challenge_token, code: first }).expect(401, WRONG);
      const next = totpCode(secret, 1);
      const answer = await post(app, VERIFY, { challenge_token, code: next }).expect(200);
      expect(answer.body).toEqual(TOKENS);
      expect(answer.body).not.toHaveProperty('trusted_device_token');
      const { access_token } = answer.body as Tokens;
      await get(app, '/v1/auth/me', `Bearer ${access_token}`).expect(200);

      await post(app, VERIFY, { challenge_token, code: next }).expect(401, GONE);
      const again = await challengeFor(app, actor.email);
      await post(app, VERIFY, { challenge_token: again.challenge_token, code: next }).expect(401, WRONG);
    });

    it('takes the codes of the neighbouring steps and of no others', async () => {
      const actor = await guardedByTotp(app);
      for (const steps of [-2, 3]) {
        const { challenge_token } = await challengeFor(app, actor.email);
        await post(app, VERIFY, { challenge_token, code: totpCode(actor.secret, steps) }).expect(401, WRONG);
      }
      for (const steps of [-1, 1]) {
        await forgetUsedCodes(app, actor.id);
        const { challenge_token } = await challengeFor(app, actor.email);
        const stepNow = (): number => Math.floor(Date.now() / 30_000);
        let [before, status] = [-1, 0];
        // Asked again when the step changed on the way, which makes the code before it too old.
        do {
          before = stepNow();
          ({ status } = await post(app, VERIFY, { challenge_token, code: totpCode(actor.secret, steps) }));
        } while (status !== 200 && before !== stepNow());
        expect(status).toBe(200);
      }
    });

    it('takes a code in full-width digits and with blanks and dashes of any kind, in each place for one', async () => {
      const actor = await signedIn(app);
      const setup = await post(app, SETUP, { current_password: PASSWORD }, actor.bearer);
      const { secret } = setup.body as { secret: string };
      await post(app, ENABLE, { code: fullWidth(totpCode(secret)) }, actor.bearer).expect(200);
      const spelt = (): string => totpCode(secret).replace(/^.../, '$&\u2009\u2013');
      const useAgain = () => forgetUsedCodes(app, actor.id);
      await useAgain();
      const { challenge_token } = await challengeFor(app, actor.email);
      await post(app, VERIFY, { challenge_token, code: spelt() }).expect(200);
      await useAgain();
      expect((await signIn(app, actor.email, { otp_code: fullWidth(totpCode(secret)) }).expect(200)).body).toEqual(
        TOKENS,
      );
      await useAgain();
      await post(app, '/v1/auth/step-up', { code: spelt() }, actor.bearer).expect(200);
      await useAgain();
      const proof = { current_password: PASSWORD, code: fullWidth(spelt()) };
      await post(app, '/v1/account/two-factor/disable', proof, actor.bearer).expect(200);
    });

    it('takes otp_code or recovery_code with the password, and a bad one leads to the challenge', async () => {
      const actor = await guardedByTotp(app);
      // One code for both: at the turn of a step another one would be good, and rightly taken.
      const otp_code = totpCode(actor.secret);
      expect((await signIn(app, actor.email, { otp_code }).expect(200)).body).toEqual(TOKENS);
      const [code = ''] = actor.recoveryCodes;
      expect((await signIn(app, actor.email, { recovery_code: code }).expect(200)).body).toEqual(TOKENS);
      for (const fields of [{ otp_code }, { recovery_code: code }, { otp_code: 'abc' }]) {
        expect((await signIn(app, actor.email, fields).expect(200)).body).toMatchObject({ mfa_required: true });
      }
      await signIn(app, actor.email, { password: 'wrong', otp_code: totpCode(actor.secret, 1) }).expect(401, {
        detail: 'Incorrect email or password',
      });
    });

    it('gives challenge tokens that open nothing else', async () => {
      const actor = await guardedByTotp(app);
      const { challenge_token } = await challengeFor(app, actor.email);
      const bearer = `Bearer ${challenge_token}`;
      await get(app, '/v1/auth/me', bearer).expect(401, { detail: 'Not authenticated' });
      await post(app, SETUP, { current_password: PASSWORD }, bearer).expect(401, { detail: 'Not authenticated' });
      await post(app, '/v1/account/passkeys/register/options', {}, bearer).expect(401);
      await post(app, '/v1/auth/refresh', { refresh_token: challenge_token }).expect(401);
      await post(app, VERIFY, { challenge_token: actor.accessToken, code: totpCode(actor.secret) }).expect(401, GONE);
    });
  });

  describe('challenges', () => {
    it('end after five wrong answers of whichever kind', async () => {
      const actor = await guardedByTotp(app);
      const { challenge_token } = await challengeFor(app, actor.email);
      const code = wrongCode(actor.secret);
      for (let n = 0; n < 3; n += 1) await post(app, VERIFY, { challenge_token, code }).expect(401, WRONG);
      for (let n = 0; n < 2; n += 1) {
        await post(app, VERIFY_RECOVERY, { challenge_token, recovery_code: 'nope' }).expect(401, WRONG);
      }
      await post(app, VERIFY, { challenge_token, code: totpCode(actor.secret) }).expect(401, GONE);
      await post(app, '/v1/auth/mfa/methods', { challenge_token }).expect(401, GONE);
    });

    it('end after five minutes, and unknown ones read the same', async () => {
      const actor = await guardedByTotp(app);
      const { challenge_token } = await challengeFor(app, actor.email);
      const [{ seconds } = { seconds: 0 }] = await app.rows<{ seconds: number }>(
        `SELECT extract(epoch FROM expires_at - now())::int AS seconds FROM sign_in_challenges WHERE user_id = $1`,
        [actor.id],
      );
      expect(seconds).toBeGreaterThan(290);
      expect(seconds).toBeLessThanOrEqual(300);
      await app.rows('UPDATE sign_in_challenges SET expires_at = now() WHERE user_id = $1', [actor.id]);
      const code = totpCode(actor.secret);
      await post(app, VERIFY, { challenge_token, code }).expect(401, GONE);
      await post(app, VERIFY, { challenge_token: 'nobody-knows-this', code }).expect(401, GONE);
      await post(app, '/v1/auth/mfa/passkey/options', { challenge_token }).expect(401, GONE);
    });

    it('count 20 parallel wrong answers exactly', async () => {
      const actor = await guardedByTotp(app);
      const { challenge_token } = await challengeFor(app, actor.email);
      const code = wrongCode(actor.secret);
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(app, VERIFY, { challenge_token, code })));
      expect(tally(answers)).toEqual({ '401 Invalid authentication code': 5, '401 Invalid or expired challenge': 15 });
    });

    it('let in once of 20 parallel right answers', async () => {
      const actor = await guardedByTotp(app);
      const { challenge_token } = await challengeFor(app, actor.email);
      const answers = await Promise.all(
        actor.recoveryCodes
          .flatMap((code) => [code, code])
          .map((recovery_code) => post(app, VERIFY_RECOVERY, { challenge_token, recovery_code })),
      );
      expect(tally(answers)).toEqual({ '200': 1, '401 Invalid or expired challenge': 19 });
      expect(await status(actor.bearer)).toMatchObject({ recovery_codes_remaining: 9 });
    });
  });

  it('accepts one of 20 parallel uses of one code', async () => {
    const actor = await guardedByTotp(app);
    const code = totpCode(actor.secret);
    const challenges = await Promise.all(Array.from({ length: 20 }, () => challengeFor(app, actor.email)));
    const answers = await Promise.all(
      challenges.map(({ challenge_token }) => post(app, VERIFY, { challenge_token, code })),
    );
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid authentication code': 19 });
  });
});
