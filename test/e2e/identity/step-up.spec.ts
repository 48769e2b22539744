import { describe, expect, it } from '@jest/globals';
import { SoftwareAuthenticator } from '../../support/authenticator.js';
import {
  addPasskey,
  anotherSession,
  type Ceremony,
  guardedByTotp,
  registrationOptions,
  securityEventTypes,
  signIn,
  tally,
  totpCode,
  wrongCode,
} from '../../support/second-factors-api.js';
import { account, type Account, api, PASSWORD, randomEmail } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import {
  ageSessions,
  expireStepUpTokens,
  forgetUsedCodes,
  makeOAuthSessions,
  removePassword,
  storedStepUpTokens,
} from '../../support/sql-builders/identity.js';

const STEP_UP = '/v1/auth/step-up';
const SETUP = '/v1/account/two-factor/setup';
const DISABLE = '/v1/account/two-factor/disable';
const REGENERATE = '/v1/account/two-factor/recovery-codes/regenerate';
const REGISTER = '/v1/account/passkeys/register/options';
const WRONG = { detail: 'Invalid authentication code' };
const NO_PASSWORD = { detail: 'Incorrect password' };
const SIGN_IN_AGAIN = { detail: 'Sign in again to confirm this change' };
const REQUIRED = { detail: 'Second factor required' };

const stepUp = (body: object, by: Account) => api.as(by).post(STEP_UP, body);
const earn = async (body: object, by: Account): Promise<string> => {
  const answer = await stepUp(body, by).expect(200);
  expect(answer.body).toEqual({ step_up_token: expect.stringMatching(/^[\w-]{43}$/), expires_in: 300 });
  return (answer.body as { step_up_token: string }).step_up_token;
};
const change = (path: string, token: string, by: Account, body: object = {}) =>
  api.as(by).post(path, body).set('X-Step-Up-Token', token);
const assertion = async (by: Account): Promise<Ceremony> =>
  (await stepUp({ method: 'passkey' }, by).expect(200)).body as Ceremony;

describe('a step-up', () => {
  it('accepts the password, and issues a token that replaces the password in changes', async () => {
    const user = await account();
    await stepUp({ password: 'wrong' }, user).expect(403, NO_PASSWORD);
    const token = await earn({ password: PASSWORD }, user);
    await change(SETUP, token, user).expect(200);
    await change(SETUP, token, user).expect(200);
    expect(await securityEventTypes(user)).toContain('step_up_passed');
  });

  it('issues a token that is neither logged nor stored as it is', async () => {
    const user = await account();
    const token = await earn({ password: PASSWORD }, user);
    await change(SETUP, token, user).expect(200);
    expect(await logText()).not.toContain(token);
    const stored = await storedStepUpTokens(user.id);
    expect(stored).toContain(user.id);
    expect(stored).not.toContain(token);
  });

  it('issues a token that only its own session can use, for five minutes', async () => {
    const user = await account();
    const other = await anotherSession(user);
    const stranger = await account();
    const token = await earn({ password: PASSWORD }, user);
    await change(SETUP, token, other).expect(403, NO_PASSWORD);
    await change(SETUP, token, stranger).expect(403, NO_PASSWORD);
    await change(SETUP, 'nobody-knows-this', user).expect(403, NO_PASSWORD);
    await api.as({ accessToken: token }).get('/v1/auth/me').expect(401);
    await expireStepUpTokens(user.id);
    await change(SETUP, token, user).expect(403, NO_PASSWORD);
    await change(SETUP, token, user, { current_password: PASSWORD }).expect(200);
  });

  it('accepts a code of the authenticator app once, and a recovery code once', async () => {
    const user = await guardedByTotp();
    await stepUp({ code: wrongCode(user.secret) }, user).expect(401, WRONG);
    await stepUp({ recovery_code: 'nope' }, user).expect(401, WRONG);
    const code = totpCode(user.secret);
    await earn({ code }, user);
    await stepUp({ code }, user).expect(401, WRONG);
    const [recovery_code] = user.recoveryCodes;
    const answers = await Promise.all(Array.from({ length: 20 }, () => stepUp({ recovery_code }, user)));
    // The success can come after any number of the failures, which stay below the lockout.
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid authentication code': 19 });
  });

  it('fails when one of the proofs that it gets is wrong', async () => {
    const user = await guardedByTotp();
    const code = totpCode(user.secret);
    await stepUp({ password: 'wrong', code }, user).expect(403, NO_PASSWORD);
    await stepUp({ password: PASSWORD, code: wrongCode(user.secret) }, user).expect(401, WRONG);
    await earn({ password: PASSWORD, code }, user);
  });

  it('does not replace the password by a code, nor the code by the password', async () => {
    const user = await guardedByTotp();
    const byCode = await earn({ code: totpCode(user.secret) }, user);
    await forgetUsedCodes(user.id);
    const byPassword = await earn({ password: PASSWORD }, user);
    await change(DISABLE, byCode, user).expect(403, NO_PASSWORD);
    await change(DISABLE, byPassword, user).expect(403, REQUIRED);
    await change(DISABLE, byPassword, user, { code: totpCode(user.secret) }).expect(200);
  });

  it('accepts a passkey that verifies its user as the second factor, but not as the password', async () => {
    const user = await account();
    const passkey = await addPasskey(user);
    const { challenge_token, options } = await assertion(user);
    expect(options).toMatchObject({
      userVerification: 'required',
      allowCredentials: [{ id: passkey.authenticator.id }],
    });
    const credential = passkey.authenticator.get(options);
    const token = await earn({ challenge_token, credential }, user);
    await stepUp({ challenge_token, credential }, user).expect(401, WRONG);
    const remove = `/v1/account/passkeys/${passkey.id}/remove`;
    await change(remove, token, user).expect(403, NO_PASSWORD);
    await change(remove, token, user, { current_password: PASSWORD }).expect(200);
    expect((await signIn(user.email).expect(200)).body).toHaveProperty('access_token');
  });

  it('returns 401 for a passkey of another account, an unverified user, and a challenge of another kind', async () => {
    const [user, other] = [await account(), await account()];
    const own = await addPasskey(user);
    const foreign = await addPasskey(other);
    const attempts: ((given: Ceremony) => object)[] = [
      ({ options }) => foreign.authenticator.get(options),
      ({ options }) => own.authenticator.get(options, { userVerified: false }),
      ({ options }) => own.authenticator.get(options, { origin: 'https://evil.example' }),
    ];
    for (const attempt of attempts) {
      const given = await assertion(user);
      const { challenge_token } = given;
      await stepUp({ challenge_token, credential: attempt(given) }, user).expect(401, WRONG);
    }
    const ofOther = await assertion(other);
    const ofSignIn = (await api.post('/v1/auth/passkey/passwordless/options', {})).body as Ceremony;
    for (const { challenge_token, options } of [ofOther, ofSignIn]) {
      const credential = own.authenticator.get(options);
      await stepUp({ challenge_token, credential }, user).expect(401, WRONG);
    }
  });

  it('returns 409 without a registered passkey, 422 without a proof, and 401 without a session', async () => {
    const user = await account();
    await stepUp({ method: 'passkey' }, user).expect(409, { detail: 'No passkey is registered' });
    const answer = await stepUp({}, user).expect(422);
    expect((answer.body as { detail: object[] }).detail).toMatchObject([{ type: 'value_error', loc: ['body'] }]);
    await api.post(STEP_UP, { password: PASSWORD }).expect(401, { detail: 'Not authenticated' });
  });

  it('accepts a passkey or a recent sign-in with a provider when the account has no password', async () => {
    const user = await account();
    const asUser = api.as(user);
    const passkey = await addPasskey(user);
    await removePassword(user.id);
    expect((await asUser.get('/v1/auth/me').expect(200)).body).toMatchObject({ has_password: false });
    const changes: [string, object][] = [
      [SETUP, {}],
      [REGISTER, {}],
      [REGENERATE, {}],
      [DISABLE, {}],
      [`/v1/account/passkeys/${passkey.id}/remove`, {}],
      ['/v1/account/password/change', { password: 'difference-engine-no-2' }],
      ['/v1/account/email-change/request', { email: randomEmail() }],
      ['/v1/account/delete', {}],
    ];
    for (const [path, body] of changes) {
      for (const proof of [{}, { current_password: PASSWORD }, { recovery_code: passkey.recoveryCodes?.[0] }]) {
        const answer = await asUser.post(path, { ...body, ...proof });
        expect([path, answer.status, answer.body]).toEqual([path, 403, SIGN_IN_AGAIN]);
      }
    }
    await stepUp({ password: PASSWORD }, user).expect(403, SIGN_IN_AGAIN);
    const { challenge_token, options } = await assertion(user);
    const token = await earn({ challenge_token, credential: passkey.authenticator.get(options) }, user);
    await change(SETUP, token, user).expect(200);

    await makeOAuthSessions(user.id);
    await asUser.post(SETUP, {}).expect(403, REQUIRED);
    const [one = '', two = ''] = passkey.recoveryCodes ?? [];
    await asUser.post(SETUP, { recovery_code: one }).expect(200);
    await ageSessions(user.id, 5);
    await asUser.post(SETUP, { recovery_code: two }).expect(403, SIGN_IN_AGAIN);
  });
});

describe('a change of an account with an authenticator app', () => {
  const CHANGES: [string, string, object][] = [
    ['a new password', '/v1/account/password/change', { password: 'difference-engine-no-2' }],
    ['a new address', '/v1/account/email-change/request', { email: randomEmail() }],
    ['a new passkey', REGISTER, {}],
    ['new recovery codes', REGENERATE, {}],
    ['the removal of the app', DISABLE, {}],
    ['the deletion of the account', '/v1/account/delete', {}],
  ];

  it.each(CHANGES)('requires both the password and a second factor for %s', async (_, path, body) => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const [first, second] = user.recoveryCodes;
    const attempt = (proof: object, token = '') => change(path, token, user, { ...body, ...proof });
    await attempt({}).expect(403, NO_PASSWORD);
    await attempt({ current_password: PASSWORD }).expect(403, REQUIRED);
    await attempt({ current_password: 'wrong', recovery_code: first }).expect(403, NO_PASSWORD);
    await attempt({ recovery_code: first }).expect(403, NO_PASSWORD);
    await attempt({ current_password: PASSWORD, code: wrongCode(user.secret) }).expect(401, WRONG);
    const byCode = await earn({ recovery_code: first }, user);
    const byPassword = await earn({ password: PASSWORD }, user);
    await attempt({}, byCode).expect(403, NO_PASSWORD);
    await attempt({}, byPassword).expect(403, REQUIRED);
    await attempt({ recovery_code: first }, byPassword).expect(401, WRONG);
    await asUser.get('/v1/auth/me').expect(200);
    // A refused proof is not used up, and the proofs of the body and of the token count together.
    await attempt({ recovery_code: second }, byPassword).expect(200);
  });

  it('counts wrong codes towards the lockout of the second factor', async () => {
    const user = await guardedByTotp();
    const byPassword = await earn({ password: PASSWORD }, user);
    const body = { email: randomEmail(), code: wrongCode(user.secret) };
    const guess = () => change('/v1/account/email-change/request', byPassword, user, body);
    for (let n = 0; n < 20; n += 1) await guess().expect(401, WRONG);
    await guess().expect(429, { detail: 'Too many failed sign-in attempts' });
    await signIn(user.email, { otp_code: totpCode(user.secret) }).expect(429);
  });

  it.each([
    ['a new password', '/v1/account/password/change', { password: 'difference-engine-no-3' }],
    ['the removal of the app', DISABLE, {}],
    ['new recovery codes', REGENERATE, {}],
  ])('invalidates the registration options of a passkey that were issued before %s', async (_, path, body) => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const { options } = await registrationOptions(user);
    const proof = { current_password: PASSWORD, code: totpCode(user.secret) };
    await asUser.post(path, { ...body, ...proof }).expect(200);
    const credential = new SoftwareAuthenticator().create(options);
    await asUser.post('/v1/account/passkeys/register/verify', { credential, name: 'Late' }).expect(400, {
      detail: 'Invalid passkey registration',
    });
  });
});

describe('a step-up token', () => {
  it('authorizes several changes when both factors earned it, until one of them changes the password', async () => {
    const user = await guardedByTotp();
    const both = await earn({ password: PASSWORD, recovery_code: user.recoveryCodes[0] }, user);
    const options = () => change(REGISTER, both, user);
    await options().expect(200);
    await options().expect(200);
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, one) =>
        change('/v1/account/password/change', both, user, { password: `difference-engine-no-${one}` }),
      ),
    );
    expect(tally(answers)).toEqual({ '200': 1, '403 Incorrect password': 4 });
    await options().expect(403, NO_PASSWORD);
  });

  it('ends when the authenticator app that earned it is removed, while tokens of other factors stay valid', async () => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const [lost, kept] = user.recoveryCodes;
    const passkey = await addPasskey(user);
    const byApp = await earn({ password: PASSWORD, code: totpCode(user.secret) }, user);
    const byCode = await earn({ password: PASSWORD, recovery_code: lost }, user);
    const { challenge_token, options } = await assertion(user);
    const credential = passkey.authenticator.get(options);
    const byPasskey = await earn({ password: PASSWORD, challenge_token, credential }, user);
    const proof = { current_password: PASSWORD, recovery_code: kept };
    await asUser.post(DISABLE, proof).expect(200);
    await change(REGISTER, byApp, user).expect(403, NO_PASSWORD);
    // The recovery codes and the passkey of the account stay, and so do their tokens.
    for (const token of [byCode, byPasskey]) await change(REGISTER, token, user).expect(200);
  });

  it('ends when a recovery code earned it and the last second factor is removed', async () => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const byCode = await earn({ password: PASSWORD, recovery_code: user.recoveryCodes[0] }, user);
    await asUser.post(DISABLE, { current_password: PASSWORD, code: totpCode(user.secret) }).expect(200);
    await change(REGISTER, byCode, user).expect(403, NO_PASSWORD);
  });

  it('ends when the recovery codes that earned it are replaced, while a token of the password stays valid', async () => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const byCode = await earn({ password: PASSWORD, recovery_code: user.recoveryCodes[0] }, user);
    const byPassword = await earn({ password: PASSWORD }, user);
    const code = totpCode(user.secret);
    await asUser.post(REGENERATE, { current_password: PASSWORD, code }).expect(200);
    await change(REGISTER, byCode, user).expect(403, NO_PASSWORD);
    await change(REGISTER, byPassword, user).expect(403, REQUIRED);
  });

  it('ends when the passkey that earned it is removed', async () => {
    const user = await guardedByTotp();
    const asUser = api.as(user);
    const [stolen] = [await addPasskey(user), await addPasskey(user)];
    const { challenge_token, options } = await assertion(user);
    const credential = stolen.authenticator.get(options);
    const byPasskey = await earn({ password: PASSWORD, challenge_token, credential }, user);
    const proof = { current_password: PASSWORD, code: totpCode(user.secret) };
    await asUser.post(`/v1/account/passkeys/${stolen.id}/remove`, proof).expect(200);
    await change(REGISTER, byPasskey, user).expect(403, NO_PASSWORD);
  });

  it('is refused after a change of the password when the old password earned it during the change', async () => {
    const user = await account();
    const asUser = api.as(user);
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => stepUp({ password: PASSWORD }, user)),
      asUser
        .post('/v1/account/password/change', { current_password: PASSWORD, password: 'difference-engine-no-4' })
        .expect(200),
      ...Array.from({ length: 4 }, () => stepUp({ password: PASSWORD }, user)),
    ]);
    for (const { body } of answers) {
      const { step_up_token: token } = body as { step_up_token?: string };
      if (token !== undefined) await change(SETUP, token, user).expect(403, NO_PASSWORD);
    }
  });
});
