import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { type Lies, SoftwareAuthenticator } from '../../support/authenticator.js';
import {
  addPasskey,
  type Ceremony,
  challengeFor,
  eventTypes,
  get,
  guardedByTotp,
  mailAbout,
  post,
  registrationOptions,
  signIn,
  tally,
  type Tokens,
  totpCode,
} from '../../support/second-factors.js';

const PASSKEYS = '/v1/account/passkeys';
const PASSWORDLESS = '/v1/auth/passkey/passwordless';
const WRONG = { detail: 'Invalid authentication code' };
const GONE = { detail: 'Invalid or expired challenge' };
const NOT_FOUND = { detail: 'Passkey not found' };
const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';

describe('passkeys without a password, renamed and removed', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const options = async (): Promise<Ceremony> =>
    (await post(app, `${PASSWORDLESS}/options`).expect(200)).body as Ceremony;
  const verify = (challenge_token: string, credential: object) =>
    post(app, `${PASSWORDLESS}/verify`, { challenge_token, credential });
  const withPasskey = async (authenticator = new SoftwareAuthenticator()) => {
    const actor = await signedIn(app);
    return { ...actor, passkey: await addPasskey(app, actor, authenticator), authenticator };
  };

  describe('signing in', () => {
    it('needs nothing but a passkey that verifies its user', async () => {
      const { id, authenticator } = await withPasskey();
      const ceremony = await options();
      expect(ceremony.options).toMatchObject({
        rpId: 'localhost',
        userVerification: 'required',
        allowCredentials: [],
      });
      const credential = authenticator.get(ceremony.options);
      const answer = await verify(ceremony.challenge_token, credential).expect(200);
      const { access_token } = answer.body as Tokens;
      const { sub, sid } = decodeJwt(access_token);
      expect(sub).toBe(id);
      expect(await app.rows('SELECT method FROM sessions WHERE id = $1', [sid])).toEqual([{ method: 'passkey' }]);
      await verify(ceremony.challenge_token, credential).expect(401, GONE);
    });

    it.each<[string, Lies]>([
      ['of a user that was not verified', { userVerified: false }],
      ['that does not say whose passkey it is', { userHandle: null }],
      ["with somebody else's handle", { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
      ['of another page', { origin: 'https://evil.example' }],
      ['of a foreign frame', { crossOrigin: true }],
      ['of another service', { rpId: 'example.com' }],
      ['with another backup eligibility', { backupEligible: true }],
    ])('refuses an assertion %s', async (_, lies) => {
      const { authenticator } = await withPasskey();
      const ceremony = await options();
      await verify(ceremony.challenge_token, authenticator.get(ceremony.options, lies)).expect(401, WRONG);
      await verify(ceremony.challenge_token, authenticator.get(ceremony.options)).expect(401, GONE);
    });

    it('refuses a passkey registered without user verification until it verified its user as a second factor', async () => {
      const authenticator = new SoftwareAuthenticator();
      const actor = await signedIn(app);
      const { options: creation } = await registrationOptions(app, actor.bearer);
      const credential = authenticator.create(creation, { userVerified: false });
      await post(app, `${PASSKEYS}/register/verify`, { credential }, actor.bearer).expect(201);
      const alone = async () => {
        const ceremony = await options();
        return verify(ceremony.challenge_token, authenticator.get(ceremony.options));
      };
      const asSecondFactor = async (lies: Lies) => {
        const { challenge_token } = await challengeFor(app, actor.email);
        const given = (await post(app, '/v1/auth/mfa/passkey/options', { challenge_token }).expect(200))
          .body as Ceremony;
        const answer = { challenge_token, credential: authenticator.get(given.options, lies) };
        await post(app, '/v1/auth/mfa/passkey/verify', answer).expect(200);
      };
      const stepUp = async (more: object) => {
        const asked = await post(app, '/v1/auth/step-up', { method: 'passkey' }, actor.bearer).expect(200);
        const { challenge_token, options: given } = asked.body as Ceremony;
        const answer = { challenge_token, credential: authenticator.get(given), ...more };
        await post(app, '/v1/auth/step-up', answer, actor.bearer).expect(200);
      };
      const refused = async () => {
        const answer = await alone();
        expect([answer.status, answer.body]).toEqual([401, WRONG]);
      };

      await refused();
      await asSecondFactor({ userVerified: false });
      await refused();
      // A session may be stolen with the key: this is no proof that the one who set the PIN is the owner.
      await stepUp({});
      await refused();
      await asSecondFactor({ userVerified: true });
      expect((await alone()).status).toBe(200);
      await asSecondFactor({ userVerified: false });
      expect((await alone()).status).toBe(200);

      await app.rows('UPDATE passkeys SET uv_initialized = false WHERE user_id = $1', [actor.id]);
      await refused();
      await stepUp({ password: PASSWORD });
      expect((await alone()).status).toBe(200);
    });

    it('refuses unknown passkeys, foreign challenges and those of five minutes ago', async () => {
      const { email, authenticator } = await withPasskey();
      const unknown = await options();
      const stranger = new SoftwareAuthenticator();
      await verify(unknown.challenge_token, stranger.get(unknown.options, { userHandle: 'AAAA' })).expect(401, WRONG);
      const [first, second] = [await options(), await options()];
      await verify(first.challenge_token, authenticator.get(second.options)).expect(401, GONE);
      await app.rows('UPDATE webauthn_challenges SET expires_at = now()');
      await verify(first.challenge_token, authenticator.get(first.options)).expect(401, GONE);

      const { challenge_token } = (await signIn(app, email).expect(200)).body as { challenge_token: string };
      const ofLogin = (await post(app, '/v1/auth/mfa/passkey/options', { challenge_token })).body as Ceremony;
      await verify(challenge_token, authenticator.get(ofLogin.options)).expect(401, GONE);
    });

    it('lets one of 20 parallel uses of one assertion in', async () => {
      const { authenticator } = await withPasskey();
      const { challenge_token, options: given } = await options();
      const credential = authenticator.get(given);
      const answers = await Promise.all(Array.from({ length: 20 }, () => verify(challenge_token, credential)));
      expect(tally(answers)).toEqual({ '200': 1, '401 Invalid or expired challenge': 19 });
    });

    it('notices a copied passkey and follows whether it is backed up', async () => {
      const { id, bearer, authenticator } = await withPasskey(new SoftwareAuthenticator({ backupEligible: true }));
      const use = async (lies: Lies) => {
        const ceremony = await options();
        return verify(ceremony.challenge_token, authenticator.get(ceremony.options, lies));
      };
      expect((await use({ counter: 5, backedUp: true })).status).toBe(200);
      expect((await get(app, PASSKEYS, bearer)).body).toMatchObject([{ backed_up: true }]);
      expect((await use({ counter: 5 })).status).toBe(401);
      expect(await eventTypes(app, id)).toContain('passkey_counter_regressed');
      expect((await use({ counter: 6, backedUp: false })).status).toBe(200);
      expect((await get(app, PASSKEYS, bearer)).body).toMatchObject([{ backed_up: false }]);
    });

    it('takes authenticators that never count', async () => {
      const { authenticator } = await withPasskey();
      for (let n = 0; n < 2; n += 1) {
        const ceremony = await options();
        const credential = authenticator.get(ceremony.options, { counter: 0 });
        await verify(ceremony.challenge_token, credential).expect(200);
      }
    });
  });

  describe('management', () => {
    it('renames', async () => {
      const { id, bearer, passkey } = await withPasskey();
      const rename = (body: object, path = passkey.id) =>
        app.request().patch(`${PASSKEYS}/${path}`).set('Authorization', bearer).send(body);
      expect((await rename({ name: 'Work laptop' }).expect(200)).body).toMatchObject({
        id: passkey.id,
        name: 'Work laptop',
      });
      await rename({ name: '' }).expect(422);
      await rename({ name: 'x' }, NOWHERE).expect(404, NOT_FOUND);
      await rename({ name: 'x' }, 'x').expect(422);
      expect(await eventTypes(app, id)).toContain('passkey_renamed');
    });

    it("does not reach another account's passkeys", async () => {
      const { passkey, bearer } = await withPasskey();
      const stranger = await guardedByTotp(app);
      const proof = { current_password: PASSWORD, code: totpCode(stranger.secret) };
      await app
        .request()
        .patch(`${PASSKEYS}/${passkey.id}`)
        .set('Authorization', stranger.bearer)
        .send({ name: 'Mine' })
        .expect(404, NOT_FOUND);
      await post(app, `${PASSKEYS}/${passkey.id}/remove`, proof, stranger.bearer).expect(404, NOT_FOUND);
      expect((await get(app, PASSKEYS, bearer)).body).toMatchObject([{ id: passkey.id, name: 'Laptop' }]);
    });

    it('removes with the password and a code, and the last one takes what depends on it along', async () => {
      const { id, email, bearer, passkey, authenticator } = await withPasskey();
      const path = `${PASSKEYS}/${passkey.id}/remove`;
      const proof = { current_password: PASSWORD };
      const [recovery_code = ''] = passkey.recoveryCodes ?? [];
      await post(app, path, {}, bearer).expect(403, { detail: 'Incorrect password' });
      await post(app, path, proof, bearer).expect(403, { detail: 'Second factor required' });
      await post(app, path, { ...proof, code: '123456' }, bearer).expect(401, WRONG);
      await post(app, path, { current_password: 'wrong', recovery_code }, bearer).expect(403);
      await post(app, path, { ...proof, recovery_code }, bearer).expect(200);
      await post(app, path, { ...proof, recovery_code }, bearer).expect(404, NOT_FOUND);
      expect((await get(app, '/v1/account/two-factor', bearer)).body).toEqual({
        enabled: false,
        pending: false,
        passkey_count: 0,
        recovery_codes_remaining: 0,
      });
      expect((await signIn(app, email).expect(200)).body).toHaveProperty('access_token');
      const ceremony = await options();
      await verify(ceremony.challenge_token, authenticator.get(ceremony.options)).expect(401, WRONG);
      await mailAbout(app, email, 'A passkey was removed from your account');
      expect(await eventTypes(app, id)).toContain('passkey_removed');
    });
  });
});
