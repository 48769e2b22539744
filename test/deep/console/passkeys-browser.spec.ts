import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import { openPasskeyBrowser, type PasskeyBrowser } from '../../support/passkey-browser.js';
import {
  type Ceremony,
  challengeFor,
  eventTypes,
  get,
  post,
  registrationOptions,
  type Tokens,
} from '../../support/second-factors.js';

const PASSKEYS = '/v1/account/passkeys';
const PASSWORDLESS = '/v1/auth/passkey/passwordless';

/** The steps build on each other: one person, one browser. */
describe('a passkey in a real browser', () => {
  let app: TestApp;
  let browser: PasskeyBrowser;
  let actor: Awaited<ReturnType<typeof signedIn>>;

  beforeAll(async () => {
    browser = await openPasskeyBrowser();
    app = await createTestApp({ env: { WEBAUTHN_ORIGINS: browser.origin } });
    actor = await signedIn(app);
  });
  afterAll(async () => {
    await app.close();
    await browser.close();
  });

  const ceremony = async (path: string, body: object = {}, bearer?: string): Promise<Ceremony> =>
    (await post(app, path, body, bearer).expect(200)).body as Ceremony;
  const passwordless = async () => {
    const { challenge_token, options } = await ceremony(`${PASSWORDLESS}/options`);
    return post(app, `${PASSWORDLESS}/verify`, { challenge_token, credential: await browser.get(options) });
  };

  it('is registered together with recovery codes', async () => {
    const { challenge_token, options } = await registrationOptions(app, actor.bearer);
    const credential = await browser.create(options);
    const body = { challenge_token, credential, name: 'This browser' };
    const answer = await post(app, `${PASSKEYS}/register/verify`, body, actor.bearer).expect(201);
    expect(answer.body).toMatchObject({
      name: 'This browser',
      transports: ['internal'],
      recovery_codes: expect.any(Array),
    });
    const [held] = await browser.credentials();
    expect(held).toMatchObject({ rpId: 'localhost', isResidentCredential: true });
    expect(Buffer.from(held?.userHandle ?? '', 'base64').toString('hex')).toBe(actor.id.replaceAll('-', ''));
  });

  it('is not registered a second time in the same browser', async () => {
    const { options } = await registrationOptions(app, actor.bearer);
    await expect(browser.create(options)).rejects.toThrow(/InvalidStateError/);
  });

  it('answers the second-factor challenge of a password login', async () => {
    const { challenge_token, methods } = await challengeFor(app, actor.email);
    expect(methods).toContain('passkey');
    const { options } = await ceremony('/v1/auth/mfa/passkey/options', { challenge_token });
    const credential = await browser.get(options);
    const answer = await post(app, '/v1/auth/mfa/passkey/verify', { challenge_token, credential }).expect(200);
    await get(app, '/v1/auth/me', `Bearer ${(answer.body as Tokens).access_token}`).expect(200);
  });

  it('signs in without a password', async () => {
    const answer = await passwordless();
    expect(answer.status).toBe(200);
    const me = await get(app, '/v1/auth/me', `Bearer ${(answer.body as Tokens).access_token}`).expect(200);
    expect(me.body).toMatchObject({ id: actor.id, passkey_count: 1 });
  });

  it('does not sign in when the user is not verified', async () => {
    await browser.setUserVerified(false);
    const { options } = await ceremony(`${PASSWORDLESS}/options`);
    await expect(browser.get(options)).rejects.toThrow(/NotAllowedError/);
    await browser.setUserVerified(true);
  });

  it('is accepted for a step-up', async () => {
    const { challenge_token, options } = await ceremony('/v1/auth/step-up', { method: 'passkey' }, actor.bearer);
    const credential = await browser.get(options);
    const answer = await post(app, '/v1/auth/step-up', { challenge_token, credential }, actor.bearer).expect(200);
    expect(answer.body).toEqual({ step_up_token: expect.any(String), expires_in: 300 });
  });

  it('is refused when a copy of it comes back with an older counter', async () => {
    const [copy] = await browser.credentials();
    if (copy === undefined) throw new Error('the browser holds no passkey');
    expect((await passwordless()).status).toBe(200);
    await browser.restore(copy);
    const answer = await passwordless();
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Invalid authentication code' }]);
    expect(await eventTypes(app, actor.id)).toContain('passkey_counter_regressed');
  });
});
