import { describe, expect, it } from '@jest/globals';
import { type Lies, SoftwareAuthenticator } from '../../support/authenticator.js';
import {
  addPasskey,
  anotherSession,
  type Ceremony,
  challengeFor,
  fullStepUpToken,
  guardedByTotp,
  mailAbout,
  registrationOptions,
  securityEventTypes,
  sessionOf,
  signIn,
  tally,
  type Tokens,
} from '../../support/second-factors-api.js';
import { account, type Account, api, PASSWORD } from '../../support/service.js';
import { expirePasskeyChallenges, oldPasskeys } from '../../support/sql-builders/identity.js';

const PASSKEYS = '/v1/account/passkeys';
const PASSWORDLESS = '/v1/auth/passkey/passwordless';
const VERIFY = '/v1/auth/mfa/passkey/verify';
const WRONG = { detail: 'Invalid authentication code' };
const GONE = { detail: 'Invalid or expired challenge' };
const REFUSED = { detail: 'Invalid passkey registration' };

/** Assertions that no honest browser and authenticator make. A sign-in with a passkey alone also requires a verified user. */
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

const register = (body: object, by: Account) => api.as(by).post(`${PASSKEYS}/register/verify`, body);
const passwordless = async (): Promise<Ceremony> =>
  (await api.post(`${PASSWORDLESS}/options`, {}).expect(200)).body as Ceremony;
const challenged = async (email: string): Promise<Ceremony> => {
  const { challenge_token } = await challengeFor(email);
  return (await api.post('/v1/auth/mfa/passkey/options', { challenge_token }).expect(200)).body as Ceremony;
};
const withPasskey = async () => {
  const user = await account();
  const { authenticator } = await addPasskey(user);
  return { ...user, authenticator };
};

describe('the registration of a passkey', () => {
  it('offers the options that authenticators need, and issues recovery codes with the first passkey', async () => {
    const user = await account();
    const asUser = api.as(user);
    const { challenge_token, options } = await registrationOptions(user);
    expect(challenge_token).toMatch(/^[\w-]{43}$/);
    expect(options).toMatchObject({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rp: { id: 'localhost', name: 'Operational Event Service' },
      user: { id: expect.any(String), name: user.email },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
      attestation: 'none',
      excludeCredentials: [],
    });
    const authenticator = new SoftwareAuthenticator({ backupEligible: true, backedUp: true });
    const credential = authenticator.create(options);
    const answer = await register({ challenge_token, credential, name: 'My phone' }, user).expect(201);
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
    expect((await asUser.get(PASSKEYS).expect(200)).body).toEqual([record]);
    const again = await registrationOptions(user);
    expect(again.options).toMatchObject({ excludeCredentials: [{ id: authenticator.id, type: 'public-key' }] });

    const second = await addPasskey(user, new SoftwareAuthenticator());
    expect(second.recoveryCodes).toBeUndefined();
    const listed = (await asUser.get(PASSKEYS)).body as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([second.id, record.id]);
    expect((await asUser.get('/v1/auth/me')).body).toMatchObject({
      passkey_count: 2,
      two_factor_enabled: false,
    });
    await mailAbout(user.email, 'A passkey was added to your account');
  });

  it('accepts a challenge once, from the account that received it, within five minutes', async () => {
    const [user, other] = [await account(), await account()];
    const { options, challenge_token } = await registrationOptions(user);
    const make = () => ({ credential: new SoftwareAuthenticator().create(options) });
    await register(make(), other).expect(400, REFUSED);
    await register({ ...make(), challenge_token: 'another' }, user).expect(400, REFUSED);
    const answers = await Promise.all(Array.from({ length: 20 }, () => register(make(), user)));
    expect(tally(answers)).toEqual({ '201': 1, '400 Invalid passkey registration': 19 });
    await register({ ...make(), challenge_token }, user).expect(400, REFUSED);

    const late = await registrationOptions(user);
    await expirePasskeyChallenges(user.id);
    const credential = new SoftwareAuthenticator().create(late.options);
    await register({ credential }, user).expect(400, REFUSED);
    const ofSignIn = await passwordless();
    await register({ credential: new SoftwareAuthenticator().create(ofSignIn.options) }, user).expect(400);
  });

  it('belongs to the session that sent the proof, and so does the challenge of a step-up', async () => {
    const user = await account();
    const asUser = api.as(user);
    const stolen = await anotherSession(user);
    const { options } = await registrationOptions(user);
    const credential = new SoftwareAuthenticator().create(options);
    await register({ credential }, stolen).expect(400, REFUSED);
    await register({ credential }, user).expect(201);
    const ofStepUp = (await api.as(stolen).post('/v1/auth/step-up', { method: 'passkey' }).expect(200))
      .body as Ceremony;
    const { authenticator } = await addPasskey(user);
    const answer = { challenge_token: ofStepUp.challenge_token, credential: authenticator.get(ofStepUp.options) };
    await asUser.post('/v1/auth/step-up', answer).expect(401, WRONG);
    await api.as(stolen).post('/v1/auth/step-up', answer).expect(200);
  });

  it('returns 409 beyond 50 passkeys of an account, even when they are added at the same time', async () => {
    const user = await account();
    const asUser = api.as(user);
    await oldPasskeys(user.id, 48);
    const asked = [await registrationOptions(user), await registrationOptions(user), await registrationOptions(user)];
    const answers = await Promise.all(
      asked.map(({ options }) => register({ credential: new SoftwareAuthenticator().create(options) }, user)),
    );
    expect(tally(answers)).toEqual({ '201': 2, '409 Account has too many passkeys': 1 });
    expect((await asUser.get(PASSKEYS)).body).toHaveLength(50);
    await asUser
      .post(`${PASSKEYS}/register/options`, {})
      .set('X-Step-Up-Token', await fullStepUpToken(user))
      .expect(409, { detail: 'Account has too many passkeys' });
  });

  it.each([
    ['of another page', { origin: 'https://evil.example' }],
    ['of a foreign frame', { crossOrigin: true }],
    ['of another service', { rpId: 'example.com' }],
    ['of an assertion', { type: 'webauthn.get' }],
    ['without its user', { userPresent: false }],
    ['that is backed up although it cannot be', { backedUp: true }],
  ])('returns 400 for a credential %s', async (_, lies: Lies) => {
    const user = await account();
    const asUser = api.as(user);
    const { options } = await registrationOptions(user);
    const credential = new SoftwareAuthenticator().create(options, lies);
    await register({ credential }, user).expect(400, REFUSED);
    expect((await asUser.get(PASSKEYS)).body).toEqual([]);
  });

  it('returns 409 for a credential that an account already has', async () => {
    const user = await withPasskey();
    const { authenticator } = user;
    const thief = await account();
    for (const caller of [thief, user]) {
      const { options } = await registrationOptions(caller);
      await register({ credential: authenticator.create(options) }, caller).expect(409, {
        detail: 'Passkey is already registered',
      });
    }
  });

  it('requires the password however new the session is, so that a stolen session adds no passkey', async () => {
    const user = await account();
    const asUser = api.as(user);
    const options = `${PASSKEYS}/register/options`;
    await asUser.post(options, {}).expect(403, { detail: 'Incorrect password' });
    await asUser.post(options, { current_password: 'wrong' }).expect(403);
    await asUser.post(options, { current_password: PASSWORD }).expect(200);
  });

  it.each([
    ['nothing', undefined, ['body', 'credential']],
    ['a string', 'x', ['body', 'credential']],
    ['an empty object', {}, ['body', 'credential', 'id']],
  ])('returns 422 for %s as the credential', async (_, credential, loc) => {
    const user = await account();
    const answer = await register({ credential }, user).expect(422);
    expect((answer.body as { detail: object[] }).detail[0]).toMatchObject({ loc });
  });
});

describe('a passkey as second factor', () => {
  it('answers the challenge of a sign-in with a password', async () => {
    const user = await withPasskey();
    const { email, authenticator } = user;
    expect(await challengeFor(email)).toMatchObject({ methods: ['passkey', 'recovery_code'] });
    const { challenge_token, options } = await challenged(email);
    expect(options).toMatchObject({ rpId: 'localhost', allowCredentials: [{ id: authenticator.id }] });
    // The password was the first factor, so possession is enough.
    const credential = authenticator.get(options, { userVerified: false });
    const answer = await api.post(VERIFY, { challenge_token, credential }).expect(200);
    const { access_token } = answer.body as Tokens;
    await api.as({ accessToken: access_token }).get('/v1/auth/me').expect(200);
    expect(await sessionOf(access_token)).toMatchObject({ method: 'password' });
    const [record] = (await api.as(user).get(PASSKEYS)).body as { last_used_at: string }[];
    expect(record?.last_used_at).toEqual(expect.any(String));
    await api.post(VERIFY, { challenge_token, credential }).expect(401, GONE);
  });

  it.each(LIES)('returns 401 for an assertion %s, which uses its challenge up', async (_, lies) => {
    const { email, authenticator } = await withPasskey();
    const { challenge_token, options } = await challenged(email);
    const credential = authenticator.get(options, lies);
    await api.post(VERIFY, { challenge_token, credential }).expect(401, WRONG);
    // The challenge was used up by the attempt.
    const honest = authenticator.get(options);
    await api.post(VERIFY, { challenge_token, credential: honest }).expect(401, WRONG);
  });

  it('returns 401 for the passkey of another account, the answer to another challenge, and a forged signature', async () => {
    const [user, other] = [await withPasskey(), await withPasskey()];
    const first = await challenged(user.email);
    const second = await challenged(user.email);
    const foreign = await challenged(other.email);
    const answer = (challenge_token: string, credential: object) => api.post(VERIFY, { challenge_token, credential });
    await answer(first.challenge_token, other.authenticator.get(first.options)).expect(401, WRONG);
    await answer(first.challenge_token, user.authenticator.get(second.options)).expect(401, WRONG);
    await answer(first.challenge_token, user.authenticator.get(foreign.options)).expect(401, WRONG);
    const forger = new SoftwareAuthenticator();
    const forged = { ...forger.get(second.options), id: user.authenticator.id, rawId: user.authenticator.id };
    await answer(second.challenge_token, forged).expect(401, WRONG);
    const third = await challenged(user.email);
    await answer(third.challenge_token, user.authenticator.get(third.options)).expect(200);
  });

  it('counts wrong answers towards the lockout, which does not block a sign-in with a passkey alone', async () => {
    const { email, authenticator } = await withPasskey();
    for (let n = 0; n < 20; n += 1) {
      const { challenge_token, options } = await challenged(email);
      const credential = authenticator.get(options, { userPresent: false });
      await api.post(VERIFY, { challenge_token, credential }).expect(401, WRONG);
    }
    await signIn(email).expect(429, { detail: 'Too many failed sign-in attempts' });
    const { challenge_token, options } = await passwordless();
    const credential = authenticator.get(options);
    await api.post(`${PASSWORDLESS}/verify`, { challenge_token, credential }).expect(200);
  });

  it('returns 409 for an account that has none', async () => {
    const user = await guardedByTotp();
    const { challenge_token } = await challengeFor(user.email);
    const answer = await api.post('/v1/auth/mfa/passkey/options', { challenge_token }).expect(409);
    expect(answer.body).toEqual({ detail: 'No passkey is registered' });
  });

  it('returns 401 when its counter does not increase, and notifies the owner', async () => {
    const user = await withPasskey();
    const { email, authenticator } = user;
    const regressions = async () =>
      (await securityEventTypes(user)).filter((type) => type === 'passkey_counter_regressed');
    const use = async (lies: Lies): Promise<number> => {
      const { challenge_token, options } = await challenged(email);
      const credential = authenticator.get(options, lies);
      return (await api.post(VERIFY, { challenge_token, credential })).status;
    };
    expect(await use({ counter: 10 })).toBe(200);
    for (const counter of [10, 9, 0]) expect(await use({ counter })).toBe(401);
    expect(await regressions()).toHaveLength(3);
    await mailAbout(email, 'A passkey of your account looked copied');
    expect(await use({ counter: 11 })).toBe(200);
    // An old counter without a valid signature is not reported as a copy.
    const { challenge_token, options } = await challenged(email);
    const unsigned = authenticator.get(options, { counter: 1 });
    unsigned.response.signature = authenticator.get(options, { counter: 2 }).response.signature;
    await api.post(VERIFY, { challenge_token, credential: unsigned }).expect(401);
    expect(await regressions()).toHaveLength(3);
  });
});
