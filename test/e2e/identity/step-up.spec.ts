import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { login, PASSWORD, randomEmail, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { SoftwareAuthenticator } from '../../support/authenticator.js';
import {
  addPasskey,
  type Ceremony,
  eventTypes,
  forgetUsedCodes,
  get,
  guardedByTotp,
  post,
  registrationOptions,
  signIn,
  tally,
  totpCode,
  wrongCode,
} from '../../support/second-factors.js';

const STEP_UP = '/v1/auth/step-up';
const SETUP = '/v1/account/two-factor/setup';
const DISABLE = '/v1/account/two-factor/disable';
const REGENERATE = '/v1/account/two-factor/recovery-codes/regenerate';
const REGISTER = '/v1/account/passkeys/register/options';
const WRONG = { detail: 'Invalid authentication code' };
const NO_PASSWORD = { detail: 'Incorrect password' };
const SIGN_IN_AGAIN = { detail: 'Sign in again to confirm this change' };
const REQUIRED = { detail: 'Second factor required' };

describe('step-up', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const stepUp = (body: object, bearer: string) => post(app, STEP_UP, body, bearer);
  const earn = async (body: object, bearer: string): Promise<string> => {
    const answer = await stepUp(body, bearer).expect(200);
    expect(answer.body).toEqual({ step_up_token: expect.stringMatching(/^[\w-]{43}$/), expires_in: 300 });
    return (answer.body as { step_up_token: string }).step_up_token;
  };
  const change = (path: string, token: string, bearer: string, body: object = {}) =>
    post(app, path, body, bearer).set('X-Step-Up-Token', token);
  const assertion = async (bearer: string): Promise<Ceremony> =>
    (await stepUp({ method: 'passkey' }, bearer).expect(200)).body as Ceremony;

  it('takes the password, and its token stands for the current password', async () => {
    const actor = await signedIn(app);
    await stepUp({ password: 'wrong' }, actor.bearer).expect(403, NO_PASSWORD);
    const token = await earn({ password: PASSWORD }, actor.bearer);
    await change(SETUP, token, actor.bearer).expect(200);
    await change(SETUP, token, actor.bearer).expect(200);
    expect(await eventTypes(app, actor.id)).toContain('step_up_passed');
    expect(app.logLines.join('')).not.toContain(token);
    expect(JSON.stringify(await app.rows('SELECT * FROM step_up_tokens'))).not.toContain(token);
  });

  it('gives tokens of one session for five minutes', async () => {
    const actor = await signedIn(app);
    const other = await login(app, actor.email);
    const stranger = await signedIn(app);
    const token = await earn({ password: PASSWORD }, actor.bearer);
    await change(SETUP, token, other.bearer).expect(403, NO_PASSWORD);
    await change(SETUP, token, stranger.bearer).expect(403, NO_PASSWORD);
    await change(SETUP, 'nobody-knows-this', actor.bearer).expect(403, NO_PASSWORD);
    await get(app, '/v1/auth/me', `Bearer ${token}`).expect(401);
    await app.rows('UPDATE step_up_tokens SET expires_at = now() WHERE user_id = $1', [actor.id]);
    await change(SETUP, token, actor.bearer).expect(403, NO_PASSWORD);
    await change(SETUP, token, actor.bearer, { current_password: PASSWORD }).expect(200);
  });

  it('takes codes of both kinds once', async () => {
    const actor = await guardedByTotp(app);
    await stepUp({ code: wrongCode(actor.secret) }, actor.bearer).expect(401, WRONG);
    await stepUp({ recovery_code: 'nope' }, actor.bearer).expect(401, WRONG);
    const code = totpCode(actor.secret);
    await earn({ code }, actor.bearer);
    await stepUp({ code }, actor.bearer).expect(401, WRONG);
    const [recovery_code] = actor.recoveryCodes;
    const answers = await Promise.all(Array.from({ length: 20 }, () => stepUp({ recovery_code }, actor.bearer)));
    // The good one may come at any point of the failures, which stay below the lockout.
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid authentication code': 19 });
  });

  it('wants all that is offered to be good', async () => {
    const actor = await guardedByTotp(app);
    const code = totpCode(actor.secret);
    await stepUp({ password: 'wrong', code }, actor.bearer).expect(403, NO_PASSWORD);
    await stepUp({ password: PASSWORD, code: wrongCode(actor.secret) }, actor.bearer).expect(401, WRONG);
    await earn({ password: PASSWORD, code }, actor.bearer);
  });

  it('does not spare the code where a second factor stands', async () => {
    const actor = await guardedByTotp(app);
    const byCode = await earn({ code: totpCode(actor.secret) }, actor.bearer);
    await forgetUsedCodes(app, actor.id);
    const byPassword = await earn({ password: PASSWORD }, actor.bearer);
    await change(DISABLE, byCode, actor.bearer).expect(403, NO_PASSWORD);
    await change(DISABLE, byPassword, actor.bearer).expect(403, REQUIRED);
    await change(DISABLE, byPassword, actor.bearer, { code: totpCode(actor.secret) }).expect(200);
  });

  it('takes a passkey that verifies its user, as the second factor beside the password', async () => {
    const actor = await signedIn(app);
    const passkey = await addPasskey(app, actor);
    const { challenge_token, options } = await assertion(actor.bearer);
    expect(options).toMatchObject({
      userVerification: 'required',
      allowCredentials: [{ id: passkey.authenticator.id }],
    });
    const credential = passkey.authenticator.get(options);
    const token = await earn({ challenge_token, credential }, actor.bearer);
    await stepUp({ challenge_token, credential }, actor.bearer).expect(401, WRONG);
    const remove = `/v1/account/passkeys/${passkey.id}/remove`;
    await change(remove, token, actor.bearer).expect(403, NO_PASSWORD);
    await change(remove, token, actor.bearer, { current_password: PASSWORD }).expect(200);
    expect((await signIn(app, actor.email).expect(200)).body).toHaveProperty('access_token');
  });

  it('refuses passkeys of others, unverified users and challenges of other kinds', async () => {
    const [actor, other] = [await signedIn(app), await signedIn(app)];
    const own = await addPasskey(app, actor);
    const foreign = await addPasskey(app, other);
    const attempts: ((given: Ceremony) => object)[] = [
      ({ options }) => foreign.authenticator.get(options),
      ({ options }) => own.authenticator.get(options, { userVerified: false }),
      ({ options }) => own.authenticator.get(options, { origin: 'https://evil.example' }),
    ];
    for (const attempt of attempts) {
      const given = await assertion(actor.bearer);
      const { challenge_token } = given;
      await stepUp({ challenge_token, credential: attempt(given) }, actor.bearer).expect(401, WRONG);
    }
    const ofOther = await assertion(other.bearer);
    const ofSignIn = (await post(app, '/v1/auth/passkey/passwordless/options')).body as Ceremony;
    for (const { challenge_token, options } of [ofOther, ofSignIn]) {
      const credential = own.authenticator.get(options);
      await stepUp({ challenge_token, credential }, actor.bearer).expect(401, WRONG);
    }
  });

  it('has no assertion options without a passkey, and asks for something', async () => {
    const actor = await signedIn(app);
    await stepUp({ method: 'passkey' }, actor.bearer).expect(409, { detail: 'No passkey is registered' });
    const answer = await stepUp({}, actor.bearer).expect(422);
    expect((answer.body as { detail: object[] }).detail).toMatchObject([{ type: 'value_error', loc: ['body'] }]);
    await post(app, STEP_UP, { password: PASSWORD }).expect(401, { detail: 'Not authenticated' });
  });

  it('lets an account without a password prove itself by a passkey or a fresh provider sign-in', async () => {
    const actor = await signedIn(app);
    const passkey = await addPasskey(app, actor);
    await app.rows('UPDATE users SET password_hash = NULL WHERE id = $1', [actor.id]);
    expect((await get(app, '/v1/auth/me', actor.bearer).expect(200)).body).toMatchObject({ has_password: false });
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
        const answer = await post(app, path, { ...body, ...proof }, actor.bearer);
        expect([path, answer.status, answer.body]).toEqual([path, 403, SIGN_IN_AGAIN]);
      }
    }
    await stepUp({ password: PASSWORD }, actor.bearer).expect(403, SIGN_IN_AGAIN);
    const { challenge_token, options } = await assertion(actor.bearer);
    const token = await earn({ challenge_token, credential: passkey.authenticator.get(options) }, actor.bearer);
    await change(SETUP, token, actor.bearer).expect(200);

    await app.rows(`UPDATE sessions SET method = 'oauth' WHERE user_id = $1`, [actor.id]);
    await post(app, SETUP, {}, actor.bearer).expect(403, REQUIRED);
    const [one = '', two = ''] = passkey.recoveryCodes ?? [];
    await post(app, SETUP, { recovery_code: one }, actor.bearer).expect(200);
    await app.rows(`UPDATE sessions SET created_at = now() - interval '5 minutes' WHERE user_id = $1`, [actor.id]);
    await post(app, SETUP, { recovery_code: two }, actor.bearer).expect(403, SIGN_IN_AGAIN);
  });

  describe('where an authenticator app stands', () => {
    const CHANGES: [string, string, object][] = [
      ['another password', '/v1/account/password/change', { password: 'difference-engine-no-2' }],
      ['another address', '/v1/account/email-change/request', { email: randomEmail() }],
      ['another passkey', REGISTER, {}],
      ['new recovery codes', REGENERATE, {}],
      ['the removal of the app', DISABLE, {}],
      ['the end of the account', '/v1/account/delete', {}],
    ];

    it.each(CHANGES)('a stolen password or a stolen code alone does not bring %s about', async (_, path, body) => {
      const actor = await guardedByTotp(app);
      const [first, second] = actor.recoveryCodes;
      const try_ = (proof: object, token = '') => change(path, token, actor.bearer, { ...body, ...proof });
      await try_({}).expect(403, NO_PASSWORD);
      await try_({ current_password: PASSWORD }).expect(403, REQUIRED);
      await try_({ current_password: 'wrong', recovery_code: first }).expect(403, NO_PASSWORD);
      await try_({ recovery_code: first }).expect(403, NO_PASSWORD);
      await try_({ current_password: PASSWORD, code: wrongCode(actor.secret) }).expect(401, WRONG);
      const byCode = await earn({ recovery_code: first }, actor.bearer);
      const byPassword = await earn({ password: PASSWORD }, actor.bearer);
      await try_({}, byCode).expect(403, NO_PASSWORD);
      await try_({}, byPassword).expect(403, REQUIRED);
      await try_({ recovery_code: first }, byPassword).expect(401, WRONG);
      await get(app, '/v1/auth/me', actor.bearer).expect(200);
      // What was refused used nothing up, and body and token add up.
      await try_({ recovery_code: second }, byPassword).expect(200);
    });

    it('one step-up by both is enough for several changes, until one of them is a new password', async () => {
      const actor = await guardedByTotp(app);
      const both = await earn({ password: PASSWORD, recovery_code: actor.recoveryCodes[0] }, actor.bearer);
      const options = () => change(REGISTER, both, actor.bearer);
      await options().expect(200);
      await options().expect(200);
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, one) =>
          change('/v1/account/password/change', both, actor.bearer, { password: `difference-engine-no-${one}` }),
        ),
      );
      expect(tally(answers)).toEqual({ '200': 1, '403 Incorrect password': 4 });
      await options().expect(403, NO_PASSWORD);
    });

    it('a token ends with the app it was earned by, so that whoever stole the phone loses what they showed', async () => {
      const actor = await guardedByTotp(app);
      const [lost, kept] = actor.recoveryCodes;
      const passkey = await addPasskey(app, actor);
      const byApp = await earn({ password: PASSWORD, code: totpCode(actor.secret) }, actor.bearer);
      const byCode = await earn({ password: PASSWORD, recovery_code: lost }, actor.bearer);
      const { challenge_token, options } = await assertion(actor.bearer);
      const credential = passkey.authenticator.get(options);
      const byPasskey = await earn({ password: PASSWORD, challenge_token, credential }, actor.bearer);
      const proof = { current_password: PASSWORD, recovery_code: kept };
      await post(app, DISABLE, proof, actor.bearer).expect(200);
      await change(REGISTER, byApp, actor.bearer).expect(403, NO_PASSWORD);
      // What stands beside it is not touched.
      for (const token of [byCode, byPasskey]) await change(REGISTER, token, actor.bearer).expect(200);
    });

    it('the last factor takes the tokens of its recovery codes along', async () => {
      const actor = await guardedByTotp(app);
      const byCode = await earn({ password: PASSWORD, recovery_code: actor.recoveryCodes[0] }, actor.bearer);
      await post(app, DISABLE, { current_password: PASSWORD, code: totpCode(actor.secret) }, actor.bearer).expect(200);
      await change(REGISTER, byCode, actor.bearer).expect(403, NO_PASSWORD);
    });

    it('new recovery codes end the tokens of the earlier ones, whoever has read them', async () => {
      const actor = await guardedByTotp(app);
      const byCode = await earn({ password: PASSWORD, recovery_code: actor.recoveryCodes[0] }, actor.bearer);
      const byPassword = await earn({ password: PASSWORD }, actor.bearer);
      const code = totpCode(actor.secret);
      await post(app, REGENERATE, { current_password: PASSWORD, code }, actor.bearer).expect(200);
      await change(REGISTER, byCode, actor.bearer).expect(403, NO_PASSWORD);
      await change(REGISTER, byPassword, actor.bearer).expect(403, REQUIRED);
    });

    it('a removed passkey ends the tokens of passkeys', async () => {
      const actor = await guardedByTotp(app);
      const [stolen] = [await addPasskey(app, actor), await addPasskey(app, actor)];
      const { challenge_token, options } = await assertion(actor.bearer);
      const credential = stolen.authenticator.get(options);
      const byPasskey = await earn({ password: PASSWORD, challenge_token, credential }, actor.bearer);
      const proof = { current_password: PASSWORD, code: totpCode(actor.secret) };
      await post(app, `/v1/account/passkeys/${stolen.id}/remove`, proof, actor.bearer).expect(200);
      await change(REGISTER, byPasskey, actor.bearer).expect(403, NO_PASSWORD);
    });

    it.each([
      ['another password', '/v1/account/password/change', { password: 'difference-engine-no-3' }],
      ['the removal of the app', DISABLE, {}],
      ['new recovery codes', REGENERATE, {}],
    ])('leave to add a passkey that was earned before %s is taken back', async (_, path, body) => {
      const actor = await guardedByTotp(app);
      const { options } = await registrationOptions(app, actor.bearer);
      const proof = { current_password: PASSWORD, code: totpCode(actor.secret) };
      await post(app, path, { ...body, ...proof }, actor.bearer).expect(200);
      const credential = new SoftwareAuthenticator().create(options);
      await post(app, '/v1/account/passkeys/register/verify', { credential, name: 'Late' }, actor.bearer).expect(400, {
        detail: 'Invalid passkey registration',
      });
    });

    it('the old password earns no token while it is changed', async () => {
      const actor = await signedIn(app);
      const answers = await Promise.all([
        ...Array.from({ length: 4 }, () => stepUp({ password: PASSWORD }, actor.bearer)),
        post(
          app,
          '/v1/account/password/change',
          { current_password: PASSWORD, password: 'difference-engine-no-4' },
          actor.bearer,
        ).expect(200),
        ...Array.from({ length: 4 }, () => stepUp({ password: PASSWORD }, actor.bearer)),
      ]);
      for (const { body } of answers) {
        const { step_up_token: token } = body as { step_up_token?: string };
        if (token !== undefined) await change(SETUP, token, actor.bearer).expect(403, NO_PASSWORD);
      }
    });

    it('wrong codes at a change count towards the lockout of the second factor', async () => {
      const actor = await guardedByTotp(app);
      const byPassword = await earn({ password: PASSWORD }, actor.bearer);
      const body = { email: randomEmail(), code: wrongCode(actor.secret) };
      const guess = () => change('/v1/account/email-change/request', byPassword, actor.bearer, body);
      for (let n = 0; n < 20; n += 1) await guess().expect(401, WRONG);
      await guess().expect(429, { detail: 'Too many failed sign-in attempts' });
      await signIn(app, actor.email, { otp_code: totpCode(actor.secret) }).expect(429);
    });
  });
});
