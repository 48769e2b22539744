import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OnCredentialsReset } from '../../../src/modules/identity/sessions/index.js';
import { SecondFactorsModule } from '../../../src/modules/identity/second-factors/index.js';
import { SecondFactorsResetHandler } from '../../../src/modules/identity/second-factors/second-factors-reset.handler.js';
import { Passwords } from '../../../src/platform/crypto/index.js';
import { Database } from '../../../src/platform/database/database.js';
import { PASSWORD, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';
import {
  addPasskey,
  type Ceremony,
  challengeFor,
  eventTypes,
  forgetUsedCodes,
  get,
  type Guarded,
  guardedByTotp,
  mailAbout,
  post,
  signIn,
  type Tokens,
  totpCode,
} from '../../support/second-factors.js';

const DEVICES = '/v1/account/trusted-devices';
const HEADER = 'X-Trusted-Device-Token';
const NOT_FOUND = { detail: 'Trusted device not found' };
const ASKED = expect.objectContaining({ mfa_required: true });

describe('trusted devices', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await createTestApp();
  });
  afterAll(() => app.close());

  const devices = async (bearer: string) => (await get(app, DEVICES, bearer).expect(200)).body as { id: string }[];
  const trusted = async (): Promise<Guarded & { deviceToken: string }> => {
    const actor = await guardedByTotp(app);
    const fields = { otp_code: totpCode(actor.secret), remember_device: 'true' };
    const { trusted_device_token } = (await signIn(app, actor.email, fields).expect(200)).body as Tokens;
    await forgetUsedCodes(app, actor.id);
    return { ...actor, deviceToken: trusted_device_token ?? '' };
  };
  const offered = async (actor: Guarded, trusted_device_token: string): Promise<object> =>
    (await signIn(app, actor.email, { trusted_device_token }).expect(200)).body as object;

  it('are made by remember_device with each kind of second factor', async () => {
    const actor = await guardedByTotp(app);
    const { authenticator } = await addPasskey(app, actor);
    const verify = async (method: string, answer: object, token?: string) => {
      const challenge_token = token ?? (await challengeFor(app, actor.email)).challenge_token;
      return post(app, `/v1/auth/mfa/${method}/verify`, { challenge_token, ...answer, remember_device: true });
    };
    const { challenge_token } = await challengeFor(app, actor.email);
    const { options } = (await post(app, '/v1/auth/mfa/passkey/options', { challenge_token })).body as Ceremony;
    const answers = [
      await verify('totp', { code: totpCode(actor.secret) }),
      await verify('recovery-code', { recovery_code: actor.recoveryCodes[0] }),
      await verify('passkey', { credential: authenticator.get(options) }, challenge_token),
      await signIn(app, actor.email, { recovery_code: actor.recoveryCodes[1] ?? '', remember_device: 'on' }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      const token = (answer.body as Tokens).trusted_device_token ?? '';
      expect(token).toMatch(/^[\w-]{43}$/);
      expect(answer.headers[HEADER.toLowerCase()]).toBe(token);
      expect(await offered(actor, token)).toHaveProperty('access_token');
      expect(JSON.stringify(await app.rows('SELECT * FROM trusted_devices'))).not.toContain(token);
      expect(app.logLines.join('')).not.toContain(token);
    }
    expect(await devices(actor.bearer)).toHaveLength(4);
    await mailAbout(app, actor.email, 'A device is now trusted with your account');
  });

  it('are not made without being asked for, nor while there is no second factor to replace', async () => {
    const actor = await guardedByTotp(app);
    const plain = await signIn(app, actor.email, { otp_code: totpCode(actor.secret) }).expect(200);
    expect(plain.body).not.toHaveProperty('trusted_device_token');
    expect(plain.headers).not.toHaveProperty(HEADER.toLowerCase());
    const unguarded = await signedIn(app);
    const answer = await signIn(app, unguarded.email, { remember_device: 'true' }).expect(200);
    expect(answer.body).not.toHaveProperty('trusted_device_token');
    expect(await devices(unguarded.bearer)).toEqual([]);
    await signIn(app, actor.email, { remember_device: 'perhaps' }).expect(422);
  });

  it('replace the second factor by form or header, and nothing else', async () => {
    const actor = await trusted();
    const token = actor.deviceToken;
    expect(await offered(actor, token)).toHaveProperty('access_token');
    const byHeader = await signIn(app, actor.email).set(HEADER, token).expect(200);
    expect(byHeader.body).toHaveProperty('access_token');
    const either = await signIn(app, actor.email, { trusted_device_token: 'stale' }).set(HEADER, token).expect(200);
    expect(either.body).toHaveProperty('access_token');
    await signIn(app, actor.email, { password: 'wrong', trusted_device_token: token }).expect(401, {
      detail: 'Incorrect email or password',
    });
    await get(app, '/v1/auth/me', `Bearer ${token}`).expect(401);
    const proof = { current_password: PASSWORD, trusted_device_token: token };
    await post(app, '/v1/account/two-factor/disable', proof, actor.bearer).expect(403, {
      detail: 'Second factor required',
    });
  });

  it('spare their codes, and are not trusted for longer by use', async () => {
    const actor = await trusted();
    const [before] = await devices(actor.bearer);
    const fields = { trusted_device_token: actor.deviceToken, remember_device: 'true', recovery_code: 'unused' };
    const again = (await signIn(app, actor.email, fields).expect(200)).body as Tokens;
    expect(again.trusted_device_token).toBe(actor.deviceToken);
    const [after] = await devices(actor.bearer);
    expect(after).toEqual({ ...before, last_used_at: expect.any(String) });
    expect(await devices(actor.bearer)).toHaveLength(1);
  });

  it('work while the second factor is locked', async () => {
    const actor = await trusted();
    for (let n = 0; n < 20; n += 1) await signIn(app, actor.email, { recovery_code: 'nope' });
    await signIn(app, actor.email).expect(429);
    expect(await offered(actor, actor.deviceToken)).toHaveProperty('access_token');
  });

  it('are asked again when the token is unknown, of another account or 30 days old', async () => {
    const [actor, other] = [await trusted(), await trusted()];
    expect(await offered(actor, 'nobody-knows-this')).toEqual(ASKED);
    expect(await offered(actor, other.deviceToken)).toEqual(ASKED);
    const [{ days } = { days: 0 }] = await app.rows<{ days: number }>(
      `SELECT extract(day FROM expires_at - created_at)::int AS days FROM trusted_devices WHERE user_id = $1`,
      [actor.id],
    );
    expect(days).toBe(30);
    await app.rows('UPDATE trusted_devices SET expires_at = now() WHERE user_id = $1', [actor.id]);
    expect(await offered(actor, actor.deviceToken)).toEqual(ASKED);
    expect(await devices(actor.bearer)).toEqual([]);
  });

  it('are listed and revoked by their owner alone', async () => {
    const actor = await trusted();
    const stranger = await trusted();
    const [device] = await devices(actor.bearer);
    expect(device).toEqual({
      id: expect.any(String),
      ip: expect.stringMatching(/127\.0\.0\.1$/),
      user_agent: null,
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
    });
    const path = `${DEVICES}/${device?.id ?? ''}/revoke`;
    await post(app, path, {}, stranger.bearer).expect(404, NOT_FOUND);
    expect(await offered(actor, actor.deviceToken)).toHaveProperty('access_token');
    await post(app, path, {}, actor.bearer).expect(200, { message: 'The device is no longer trusted' });
    await post(app, path, {}, actor.bearer).expect(404, NOT_FOUND);
    await post(app, `${DEVICES}/x/revoke`, {}, actor.bearer).expect(422);
    expect(await offered(actor, actor.deviceToken)).toEqual(ASKED);
    expect(await eventTypes(app, actor.id)).toEqual(
      expect.arrayContaining(['device_trusted', 'trusted_device_revoked']),
    );
  });

  it('are revoked with the last factor and not before', async () => {
    const actor = await trusted();
    const passkey = await addPasskey(app, actor);
    const proof = { current_password: PASSWORD };
    const disable = { ...proof, code: totpCode(actor.secret) };
    await post(app, '/v1/account/two-factor/disable', disable, actor.bearer).expect(200);
    expect(await devices(actor.bearer)).toHaveLength(1);
    const remove = { ...proof, recovery_code: actor.recoveryCodes[0] };
    await post(app, `/v1/account/passkeys/${passkey.id}/remove`, remove, actor.bearer).expect(200);
    expect(await devices(actor.bearer)).toEqual([]);
    await addPasskey(app, actor);
    expect(await offered(actor, actor.deviceToken)).toEqual(ASKED);
  });

  it('do not help a sign-in over a password that was changed on the way', async () => {
    const actor = await trusted();
    const { challenge_token } = await challengeFor(app, actor.email);
    const changed = await app.nest.get(Passwords).hash('another-password-of-theirs', actor.id);
    await app.rows('UPDATE users SET password_hash = $2 WHERE id = $1', [actor.id, changed]);
    const code = totpCode(actor.secret);
    await post(app, '/v1/auth/mfa/totp/verify', { challenge_token, code, remember_device: true }).expect(401, {
      detail: 'Invalid or expired challenge',
    });
    expect(await devices(actor.bearer)).toHaveLength(1);
  });

  it('end with a changed password, in the session that changed it too', async () => {
    const actor = await trusted();
    const password = 'difference-engine-no-2';
    const change = { current_password: PASSWORD, code: totpCode(actor.secret), password };
    await post(app, '/v1/account/password/change', change, actor.bearer).expect(200);
    expect(await devices(actor.bearer)).toEqual([]);
    const answer = await signIn(app, actor.email, { password, trusted_device_token: actor.deviceToken }).expect(200);
    expect(answer.body).toEqual(ASKED);
    expect(await eventTypes(app, actor.id)).toContain('trusted_device_revoked');
  });

  it('end with a password reset, as half-finished sign-ins do', async () => {
    const actor = await trusted();
    const { challenge_token } = await challengeFor(app, actor.email);
    const part: OnCredentialsReset = app.nest
      .select(SecondFactorsModule)
      .get<OnCredentialsReset>(SecondFactorsResetHandler, { strict: true });
    await app.nest.get(Database).transaction((tx) => part.credentialsReset(actor.id, tx));
    expect(part).toBeInstanceOf(OnCredentialsReset);
    expect(await devices(actor.bearer)).toEqual([]);
    const code = totpCode(actor.secret);
    await post(app, '/v1/auth/mfa/totp/verify', { challenge_token, code }).expect(401, {
      detail: 'Invalid or expired challenge',
    });
    expect(await offered(actor, actor.deviceToken)).toEqual(ASKED);
  });
});
