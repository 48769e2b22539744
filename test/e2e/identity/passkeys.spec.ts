import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { login, PASSWORD, signedIn } from '../../support/actors.js';
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
  stepUpOf,
  tally,
  type Tokens,
} from '../../support/second-factors.js';

const PASSKEYS = '/v1/account/passkeys';
const PASSWORDLESS = '/v1/auth/passkey/passwordless';
const WRONG = { detail: 'Invalid authentication code' };
const GONE = { detail: 'Invalid or expired challenge' };
const REFUSED = { detail: 'Invalid passkey registration' };

/** What nobody honest says in an assertion; `passwordless` alone also insists on a verified user. */
const LIES: [string, Lies][] = [
  ['of another page', { origin: 'https://evil.example' }],
  ['of the right host on another port', { origin: 'http://localhost:3001' }],
  ['of a foreign frame', { crossOrigin: true }],
  ['of another service', { rpId: 'example.com' }],
  ['of a registration', { type: 'webauthn.create' }],
  ['without its user', { userPresent: false }],
  ['with another backup eligibility', { backupEligible: true }],
  ["with somebody else's handle", { userHandle: Buffer.alloc(16, 7).toString('base64url') }],
];

describe('passkeys', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp({ env: { WEBAUTHN_RP_NAME: 'Events' } });
  });
  afterAll(() => app.close());

  const registration = (bearer: string): Promise<Ceremony> => registrationOptions(app, bearer);
  const verify = (body: object, bearer: string) => post(app, `${PASSKEYS}/register/verify`, body, bearer);
  const passwordless = async (): Promise<Ceremony> =>
    (await post(app, `${PASSWORDLESS}/options`).expect(200)).body as Ceremony;
  const challenged = async (email: string): Promise<Ceremony> => {
    const { challenge_token } = await challengeFor(app, email);
    return (await post(app, '/v1/auth/mfa/passkey/options', { challenge_token }).expect(200)).body as Ceremony;
  };
  const withPasskey = async (authenticator = new SoftwareAuthenticator()) => {
    const actor = await signedIn(app);
    return { ...actor, ...(await addPasskey(app, actor, authenticator)), userId: actor.id };
  };

  describe('registration', () => {
    it('offers what authenticators need, and gives recovery codes with the first passkey', async () => {
      const actor = await signedIn(app);
      const { challenge_token, options } = await registration(actor.bearer);
      expect(challenge_token).toMatch(/^[\w-]{43}$/);
      expect(options).toMatchObject({
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rp: { id: 'localhost', name: 'Events' },
        user: { id: expect.any(String), name: actor.email },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
        attestation: 'none',
        excludeCredentials: [],
      });
      const authenticator = new SoftwareAuthenticator({ backupEligible: true, backedUp: true });
      const credential = authenticator.create(options);
      const answer = await verify({ challenge_token, credential, name: 'My phone' }, actor.bearer).expect(201);
      const { recovery_codes, ...record } = answer.body as { recovery_codes: string[]; id: string };
      expect(recovery_codes).toHaveLength(10);
      expect(record).toEqual({
        id: expect.any(String),
        name: 'My phone',
        created_at: expect.any(String),
        last_used_at: null,
        backed_up: true,
        transports: ['internal', 'hybrid'],
      });
      expect((await get(app, PASSKEYS, actor.bearer).expect(200)).body).toEqual([record]);
      const again = await registration(actor.bearer);
      expect(again.options).toMatchObject({ excludeCredentials: [{ id: authenticator.id, type: 'public-key' }] });

      const second = await addPasskey(app, actor, new SoftwareAuthenticator());
      expect(second.recoveryCodes).toBeUndefined();
      const listed = (await get(app, PASSKEYS, actor.bearer)).body as { id: string }[];
      expect(listed.map(({ id }) => id)).toEqual([second.id, record.id]);
      expect((await get(app, '/v1/auth/me', actor.bearer)).body).toMatchObject({
        passkey_count: 2,
        two_factor_enabled: false,
      });
      await mailAbout(app, actor.email, 'A passkey was added to your account');
    });

    it('uses a challenge once, for the account that got it, within five minutes', async () => {
      const [actor, other] = [await signedIn(app), await signedIn(app)];
      const { options, challenge_token } = await registration(actor.bearer);
      const make = () => ({ credential: new SoftwareAuthenticator().create(options) });
      await verify(make(), other.bearer).expect(400, REFUSED);
      await verify({ ...make(), challenge_token: 'another' }, actor.bearer).expect(400, REFUSED);
      const answers = await Promise.all(Array.from({ length: 20 }, () => verify(make(), actor.bearer)));
      expect(tally(answers)).toEqual({ '201': 1, '400 Invalid passkey registration': 19 });
      await verify({ ...make(), challenge_token }, actor.bearer).expect(400, REFUSED);

      const late = await registration(actor.bearer);
      await app.rows('UPDATE webauthn_challenges SET expires_at = now() WHERE user_id = $1', [actor.id]);
      const credential = new SoftwareAuthenticator().create(late.options);
      await verify({ credential }, actor.bearer).expect(400, REFUSED);
      const ofSignIn = await passwordless();
      await verify({ credential: new SoftwareAuthenticator().create(ofSignIn.options) }, actor.bearer).expect(400);
    });

    it('adds nothing in another session of the account than the one that showed the proof', async () => {
      const actor = await signedIn(app);
      const stolen = await login(app, actor.email);
      const { options } = await registration(actor.bearer);
      const credential = new SoftwareAuthenticator().create(options);
      await verify({ credential }, stolen.bearer).expect(400, REFUSED);
      await verify({ credential }, actor.bearer).expect(201);
      const ofStepUp = (await post(app, '/v1/auth/step-up', { method: 'passkey' }, stolen.bearer).expect(200))
        .body as Ceremony;
      const { authenticator } = await addPasskey(app, actor);
      const answer = { challenge_token: ofStepUp.challenge_token, credential: authenticator.get(ofStepUp.options) };
      await post(app, '/v1/auth/step-up', answer, actor.bearer).expect(401, WRONG);
      await post(app, '/v1/auth/step-up', answer, stolen.bearer).expect(200);
    });

    it('stops at 50 passkeys of an account, also for those that are added at the same time', async () => {
      const actor = await signedIn(app);
      await app.rows(
        `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, backup_eligible, backed_up, transports, proven)
         SELECT gen_random_uuid(), $1, 'Old', uuid_send(gen_random_uuid()), '', 0, false, false, '{}', true FROM generate_series(1, 48)`,
        [actor.id],
      );
      const asked = [
        await registration(actor.bearer),
        await registration(actor.bearer),
        await registration(actor.bearer),
      ];
      const answers = await Promise.all(
        asked.map(({ options }) => verify({ credential: new SoftwareAuthenticator().create(options) }, actor.bearer)),
      );
      expect(tally(answers)).toEqual({ '201': 2, '409 Account has too many passkeys': 1 });
      expect(await app.rows('SELECT 1 FROM passkeys WHERE user_id = $1', [actor.id])).toHaveLength(50);
      await post(app, `${PASSKEYS}/register/options`, {}, actor.bearer)
        .set('X-Step-Up-Token', await stepUpOf(app, actor.bearer))
        .expect(409, { detail: 'Account has too many passkeys' });
    });

    it.each([
      ['of another page', { origin: 'https://evil.example' }],
      ['of a foreign frame', { crossOrigin: true }],
      ['of another service', { rpId: 'example.com' }],
      ['of an assertion', { type: 'webauthn.get' }],
      ['without its user', { userPresent: false }],
      ['backed up though it cannot be', { backedUp: true }],
    ])('refuses a credential %s', async (_, lies: Lies) => {
      const actor = await signedIn(app);
      const { options } = await registration(actor.bearer);
      const credential = new SoftwareAuthenticator().create(options, lies);
      await verify({ credential }, actor.bearer).expect(400, REFUSED);
      expect((await get(app, PASSKEYS, actor.bearer)).body).toEqual([]);
    });

    it('refuses a credential that an account has already', async () => {
      const { authenticator, bearer } = await withPasskey();
      const thief = await signedIn(app);
      for (const caller of [thief.bearer, bearer]) {
        const { options } = await registration(caller);
        await verify({ credential: authenticator.create(options) }, caller).expect(409, {
          detail: 'Passkey is already registered',
        });
      }
    });

    it('wants the password however young the session is, so that a stolen session adds none', async () => {
      const actor = await signedIn(app);
      const options = `${PASSKEYS}/register/options`;
      await post(app, options, {}, actor.bearer).expect(403, { detail: 'Incorrect password' });
      await post(app, options, { current_password: 'wrong' }, actor.bearer).expect(403);
      await post(app, options, { current_password: PASSWORD }, actor.bearer).expect(200);
    });

    it.each([
      ['nothing', undefined, ['body', 'credential']],
      ['no object', 'x', ['body', 'credential']],
      ['an empty object', {}, ['body', 'credential', 'id']],
    ])('answers 422 to %s for a credential', async (_, credential, loc) => {
      const actor = await signedIn(app);
      const answer = await verify({ credential }, actor.bearer).expect(422);
      expect((answer.body as { detail: object[] }).detail[0]).toMatchObject({ loc });
    });
  });

  describe('as second factor', () => {
    it('answers the challenge of a password login', async () => {
      const { email, authenticator, bearer } = await withPasskey();
      expect(await challengeFor(app, email)).toMatchObject({ methods: ['passkey', 'recovery_code'] });
      const { challenge_token, options } = await challenged(email);
      expect(options).toMatchObject({ rpId: 'localhost', allowCredentials: [{ id: authenticator.id }] });
      // The password was the first factor, so possession is enough.
      const credential = authenticator.get(options, { userVerified: false });
      const answer = await post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential }).expect(200);
      const { access_token } = answer.body as Tokens;
      await get(app, '/v1/auth/me', `Bearer ${access_token}`).expect(200);
      const { sid } = decodeJwt(access_token);
      expect(await app.rows('SELECT method FROM sessions WHERE id = $1', [sid])).toEqual([{ method: 'password' }]);
      const [record] = (await get(app, PASSKEYS, bearer)).body as { last_used_at: string }[];
      expect(record?.last_used_at).toEqual(expect.any(String));
      await post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential }).expect(401, GONE);
    });

    it.each(LIES)('refuses an assertion %s', async (_, lies) => {
      const { email, authenticator } = await withPasskey();
      const { challenge_token, options } = await challenged(email);
      const credential = authenticator.get(options, lies);
      await post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential }).expect(401, WRONG);
      // The challenge was used up by the attempt.
      const honest = authenticator.get(options);
      await post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential: honest }).expect(401, WRONG);
    });

    it("refuses another account's passkey, another challenge's answer and a forged signature", async () => {
      const [actor, other] = [await withPasskey(), await withPasskey()];
      const first = await challenged(actor.email);
      const second = await challenged(actor.email);
      const foreign = await challenged(other.email);
      const answer = (challenge_token: string, credential: object) =>
        post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential });
      await answer(first.challenge_token, other.authenticator.get(first.options)).expect(401, WRONG);
      await answer(first.challenge_token, actor.authenticator.get(second.options)).expect(401, WRONG);
      await answer(first.challenge_token, actor.authenticator.get(foreign.options)).expect(401, WRONG);
      const forger = new SoftwareAuthenticator();
      const forged = { ...forger.get(second.options), id: actor.authenticator.id, rawId: actor.authenticator.id };
      await answer(second.challenge_token, forged).expect(401, WRONG);
      const third = await challenged(actor.email);
      await answer(third.challenge_token, actor.authenticator.get(third.options)).expect(200);
    });

    it('counts wrong answers towards the lockout of the second factor, which leaves passwordless alone', async () => {
      const { email, authenticator } = await withPasskey();
      for (let n = 0; n < 20; n += 1) {
        const { challenge_token, options } = await challenged(email);
        const credential = authenticator.get(options, { userPresent: false });
        await post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential }).expect(401, WRONG);
      }
      await signIn(app, email).expect(429, { detail: 'Too many failed sign-in attempts' });
      const { challenge_token, options } = await passwordless();
      const credential = authenticator.get(options);
      await post(app, `${PASSWORDLESS}/verify`, { challenge_token, credential }).expect(200);
    });

    it('is not offered to an account without one', async () => {
      const actor = await guardedByTotp(app);
      const { challenge_token } = await challengeFor(app, actor.email);
      const answer = await post(app, '/v1/auth/mfa/passkey/options', { challenge_token }).expect(409);
      expect(answer.body).toEqual({ detail: 'No passkey is registered' });
    });

    it('refuses a counter that goes backwards, and says so to the owner', async () => {
      const { userId, email, authenticator } = await withPasskey();
      const use = async (lies: Lies): Promise<number> => {
        const { challenge_token, options } = await challenged(email);
        const credential = authenticator.get(options, lies);
        return (await post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential })).status;
      };
      expect(await use({ counter: 10 })).toBe(200);
      for (const counter of [10, 9, 0]) expect(await use({ counter })).toBe(401);
      expect((await eventTypes(app, userId)).filter((type) => type === 'passkey_counter_regressed')).toHaveLength(3);
      await mailAbout(app, email, 'A passkey of your account looked copied');
      expect(await use({ counter: 11 })).toBe(200);
      // An unsigned claim of an old counter is no sign of a copy.
      const { challenge_token, options } = await challenged(email);
      const unsigned = authenticator.get(options, { counter: 1 });
      unsigned.response.signature = authenticator.get(options, { counter: 2 }).response.signature;
      await post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential: unsigned }).expect(401);
      expect((await eventTypes(app, userId)).filter((type) => type === 'passkey_counter_regressed')).toHaveLength(3);
    });
  });
});
