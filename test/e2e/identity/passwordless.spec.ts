import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { type Lies, SoftwareAuthenticator } from '../../support/authenticator.js';
import {
  addPasskey,
  type Ceremony,
  challengeFor,
  guardedByTotp,
  mailAbout,
  registrationOptions,
  securityEventTypes,
  sessionOf,
  signIn,
  tally,
  type Tokens,
  totpCode,
} from '../../support/second-factors-api.js';
import { account, api, PASSWORD } from '../../support/service.js';
import { expirePasswordlessChallenge, forgetUserVerification } from '../../support/sql-builders/identity.js';

const PASSKEYS = '/v1/account/passkeys';
const PASSWORDLESS = '/v1/auth/passkey/passwordless';
const WRONG = { detail: 'Invalid authentication code' };
const GONE = { detail: 'Invalid or expired challenge' };
const NOT_FOUND = { detail: 'Passkey not found' };
const NOWHERE = '0199f3a1-0000-7000-8000-000000000000';

const options = async (): Promise<Ceremony> =>
  (await api.post(`${PASSWORDLESS}/options`, {}).expect(200)).body as Ceremony;
const verify = (challenge_token: string, credential: object) =>
  api.post(`${PASSWORDLESS}/verify`, { challenge_token, credential });
const withPasskey = async (authenticator = new SoftwareAuthenticator()) => {
  const user = await account();
  return { ...user, passkey: await addPasskey(user, authenticator), authenticator };
};

describe('a sign-in with a passkey alone', () => {
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
    expect(decodeJwt(access_token).sub).toBe(id);
    expect(await sessionOf(access_token)).toMatchObject({ method: 'passkey' });
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
  ])('returns 401 for an assertion %s, which uses its challenge up', async (_, lies) => {
    const { authenticator } = await withPasskey();
    const ceremony = await options();
    await verify(ceremony.challenge_token, authenticator.get(ceremony.options, lies)).expect(401, WRONG);
    await verify(ceremony.challenge_token, authenticator.get(ceremony.options)).expect(401, GONE);
  });

  it('refuses a passkey that did not verify its user at registration, until it does so as a second factor', async () => {
    const authenticator = new SoftwareAuthenticator();
    const user = await account();
    const asUser = api.as(user);
    const { options: creation } = await registrationOptions(user);
    const credential = authenticator.create(creation, { userVerified: false });
    await asUser.post(`${PASSKEYS}/register/verify`, { credential }).expect(201);
    const alone = async () => {
      const ceremony = await options();
      return verify(ceremony.challenge_token, authenticator.get(ceremony.options));
    };
    const asSecondFactor = async (lies: Lies) => {
      const { challenge_token } = await challengeFor(user.email);
      const given = (await api.post('/v1/auth/mfa/passkey/options', { challenge_token }).expect(200)).body as Ceremony;
      const answer = { challenge_token, credential: authenticator.get(given.options, lies) };
      await api.post('/v1/auth/mfa/passkey/verify', answer).expect(200);
    };
    const stepUp = async (more: object) => {
      const asked = await asUser.post('/v1/auth/step-up', { method: 'passkey' }).expect(200);
      const { challenge_token, options: given } = asked.body as Ceremony;
      const answer = { challenge_token, credential: authenticator.get(given), ...more };
      await asUser.post('/v1/auth/step-up', answer).expect(200);
    };
    const refused = async () => {
      const answer = await alone();
      expect([answer.status, answer.body]).toEqual([401, WRONG]);
    };

    await refused();
    await asSecondFactor({ userVerified: false });
    await refused();
    // Whoever stole the session and the key can have set the PIN, so this does not prove that it is the owner.
    await stepUp({});
    await refused();
    await asSecondFactor({ userVerified: true });
    expect((await alone()).status).toBe(200);
    await asSecondFactor({ userVerified: false });
    expect((await alone()).status).toBe(200);

    await forgetUserVerification(user.id);
    await refused();
    await stepUp({ password: PASSWORD });
    expect((await alone()).status).toBe(200);
  });

  it('returns 401 for an unknown passkey, for the challenge of another sign-in, and for an expired challenge', async () => {
    const { email, authenticator } = await withPasskey();
    const unknown = await options();
    const stranger = new SoftwareAuthenticator();
    await verify(unknown.challenge_token, stranger.get(unknown.options, { userHandle: 'AAAA' })).expect(401, WRONG);
    const [first, second] = [await options(), await options()];
    await verify(first.challenge_token, authenticator.get(second.options)).expect(401, GONE);
    await expirePasswordlessChallenge(first.challenge_token);
    await verify(first.challenge_token, authenticator.get(first.options)).expect(401, GONE);

    const { challenge_token } = (await signIn(email).expect(200)).body as { challenge_token: string };
    const ofLogin = (await api.post('/v1/auth/mfa/passkey/options', { challenge_token })).body as Ceremony;
    await verify(challenge_token, authenticator.get(ofLogin.options)).expect(401, GONE);
  });

  it('succeeds once when 20 requests send the same assertion in parallel', async () => {
    const { authenticator } = await withPasskey();
    const { challenge_token, options: given } = await options();
    const credential = authenticator.get(given);
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(challenge_token, credential)));
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid or expired challenge': 19 });
  });

  it('returns 401 for a copied passkey, and updates whether the passkey is backed up', async () => {
    const user = await withPasskey(new SoftwareAuthenticator({ backupEligible: true }));
    const { authenticator } = user;
    const use = async (lies: Lies) => {
      const ceremony = await options();
      return verify(ceremony.challenge_token, authenticator.get(ceremony.options, lies));
    };
    expect((await use({ counter: 5, backedUp: true })).status).toBe(200);
    expect((await api.as(user).get(PASSKEYS)).body).toMatchObject([{ backed_up: true }]);
    expect((await use({ counter: 5 })).status).toBe(401);
    expect(await securityEventTypes(user)).toContain('passkey_counter_regressed');
    expect((await use({ counter: 6, backedUp: false })).status).toBe(200);
    expect((await api.as(user).get(PASSKEYS)).body).toMatchObject([{ backed_up: false }]);
  });

  it('accepts an authenticator that never counts', async () => {
    const { authenticator } = await withPasskey();
    for (let n = 0; n < 2; n += 1) {
      const ceremony = await options();
      const credential = authenticator.get(ceremony.options, { counter: 0 });
      await verify(ceremony.challenge_token, credential).expect(200);
    }
  });
});

describe('a passkey', () => {
  it('is renamed by its owner, and the security log says so', async () => {
    const user = await withPasskey();
    const { passkey } = user;
    const rename = (body: object, id = passkey.id) => api.as(user).patch(`${PASSKEYS}/${id}`, body);
    expect((await rename({ name: 'Work laptop' }).expect(200)).body).toMatchObject({
      id: passkey.id,
      name: 'Work laptop',
    });
    await rename({ name: '' }).expect(422);
    await rename({ name: 'x' }, NOWHERE).expect(404, NOT_FOUND);
    await rename({ name: 'x' }, 'x').expect(422);
    expect(await securityEventTypes(user)).toContain('passkey_renamed');
  });

  it('returns 404 when another account renames or removes it', async () => {
    const user = await withPasskey();
    const { passkey } = user;
    const stranger = await guardedByTotp();
    const proof = { current_password: PASSWORD, code: totpCode(stranger.secret) };
    const asStranger = api.as(stranger);
    await asStranger.patch(`${PASSKEYS}/${passkey.id}`, { name: 'Mine' }).expect(404, NOT_FOUND);
    await asStranger.post(`${PASSKEYS}/${passkey.id}/remove`, proof).expect(404, NOT_FOUND);
    expect((await api.as(user).get(PASSKEYS)).body).toMatchObject([{ id: passkey.id, name: 'Laptop' }]);
  });

  it('is removed with the password and a recovery code, and no second factor is left after the last one', async () => {
    const user = await withPasskey();
    const { email, passkey, authenticator } = user;
    const remove = (proof: object) => api.as(user).post(`${PASSKEYS}/${passkey.id}/remove`, proof);
    const proof = { current_password: PASSWORD };
    const [recovery_code = ''] = passkey.recoveryCodes ?? [];
    await remove({}).expect(403, { detail: 'Incorrect password' });
    await remove(proof).expect(403, { detail: 'Second factor required' });
    await remove({ ...proof, code: '123456' }).expect(401, WRONG);
    await remove({ current_password: 'wrong', recovery_code }).expect(403);
    await remove({ ...proof, recovery_code }).expect(200);
    await remove({ ...proof, recovery_code }).expect(404, NOT_FOUND);
    expect((await api.as(user).get('/v1/account/two-factor')).body).toEqual({
      enabled: false,
      pending: false,
      passkey_count: 0,
      recovery_codes_remaining: 0,
    });
    expect((await signIn(email).expect(200)).body).toHaveProperty('access_token');
    const ceremony = await options();
    await verify(ceremony.challenge_token, authenticator.get(ceremony.options)).expect(401, WRONG);
    await mailAbout(email, 'A passkey was removed from your account');
    expect(await securityEventTypes(user)).toContain('passkey_removed');
  });
});
