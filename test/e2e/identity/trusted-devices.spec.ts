import { hash } from '@node-rs/argon2';
import { describe, expect, it } from '@jest/globals';
import {
  addPasskey,
  type Ceremony,
  challengeFor,
  type Guarded,
  guardedByTotp,
  mailAbout,
  securityEventTypes,
  signIn,
  type Tokens,
  totpCode,
} from '../../support/second-factors-api.js';
import { account, type Account, api, PASSWORD } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import {
  expireTrustedDevices,
  forgetUsedCodes,
  setPasswordHash,
  storedTrustedDevices,
} from '../../support/sql-builders/identity.js';

const DEVICES = '/v1/account/trusted-devices';
const HEADER = 'X-Trusted-Device-Token';
const NOT_FOUND = { detail: 'Trusted device not found' };
const DAY_MS = 86_400_000;
const CHALLENGED = expect.objectContaining({ mfa_required: true });

interface Device {
  id: string;
  created_at: string;
  expires_at: string;
}

describe('a trusted device', () => {
  const devices = async (by: Account) => (await api.as(by).get(DEVICES).expect(200)).body as Device[];
  const trusted = async (): Promise<Guarded & { deviceToken: string }> => {
    const user = await guardedByTotp();
    const fields = { otp_code: totpCode(user.secret), remember_device: 'true' };
    const { trusted_device_token } = (await signIn(user.email, fields).expect(200)).body as Tokens;
    await forgetUsedCodes(user.id);
    return { ...user, deviceToken: trusted_device_token ?? '' };
  };
  const offered = async (user: Guarded, trusted_device_token: string): Promise<object> =>
    (await signIn(user.email, { trusted_device_token }).expect(200)).body as object;

  it('is created by remember_device with each kind of second factor, and its token is neither stored nor logged', async () => {
    const user = await guardedByTotp();
    const { authenticator } = await addPasskey(user);
    const verify = async (method: string, answer: object, token?: string) => {
      const challenge_token = token ?? (await challengeFor(user.email)).challenge_token;
      return api.post(`/v1/auth/mfa/${method}/verify`, { challenge_token, ...answer, remember_device: true });
    };
    const { challenge_token } = await challengeFor(user.email);
    const { options } = (await api.post('/v1/auth/mfa/passkey/options', { challenge_token })).body as Ceremony;
    const answers = [
      await verify('totp', { code: totpCode(user.secret) }),
      await verify('recovery-code', { recovery_code: user.recoveryCodes[0] }),
      await verify('passkey', { credential: authenticator.get(options) }, challenge_token),
      await signIn(user.email, { recovery_code: user.recoveryCodes[1] ?? '', remember_device: 'on' }),
    ];
    const tokens: string[] = [];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      const token = (answer.body as Tokens).trusted_device_token ?? '';
      expect(token).toMatch(/^[\w-]{43}$/);
      expect(answer.headers[HEADER.toLowerCase()]).toBe(token);
      expect(await offered(user, token)).toHaveProperty('access_token');
      tokens.push(token);
    }
    expect(await devices(user)).toHaveLength(4);
    const [stored, log] = [await storedTrustedDevices(user.id), await logText()];
    expect(stored).toContain(user.id);
    for (const token of tokens) {
      expect(stored).not.toContain(token);
      expect(log).not.toContain(token);
    }
    await mailAbout(user.email, 'A device is now trusted with your account');
  });

  it('is created only when the sign-in requests it and had a second factor', async () => {
    const user = await guardedByTotp();
    const plain = await signIn(user.email, { otp_code: totpCode(user.secret) }).expect(200);
    expect(plain.body).not.toHaveProperty('trusted_device_token');
    expect(plain.headers).not.toHaveProperty(HEADER.toLowerCase());
    const unguarded = await account();
    const answer = await signIn(unguarded.email, { remember_device: 'true' }).expect(200);
    expect(answer.body).not.toHaveProperty('trusted_device_token');
    expect(await devices(unguarded)).toEqual([]);
    await signIn(user.email, { remember_device: 'perhaps' }).expect(422);
  });

  it('replaces the second factor by its token in the form or a header, and replaces nothing else', async () => {
    const user = await trusted();
    const asUser = api.as(user);
    const token = user.deviceToken;
    expect(await offered(user, token)).toHaveProperty('access_token');
    const byHeader = await signIn(user.email).set(HEADER, token).expect(200);
    expect(byHeader.body).toHaveProperty('access_token');
    const either = await signIn(user.email, { trusted_device_token: 'stale' }).set(HEADER, token).expect(200);
    expect(either.body).toHaveProperty('access_token');
    await signIn(user.email, { password: 'wrong', trusted_device_token: token }).expect(401, {
      detail: 'Incorrect email or password',
    });
    await api.as({ accessToken: token }).get('/v1/auth/me').expect(401);
    const proof = { current_password: PASSWORD, trusted_device_token: token };
    await asUser.post('/v1/account/two-factor/disable', proof).expect(403, {
      detail: 'Second factor required',
    });
  });

  it('signs in without a code, and is not trusted for longer by that', async () => {
    const user = await trusted();
    const [before] = await devices(user);
    const fields = { trusted_device_token: user.deviceToken, remember_device: 'true', recovery_code: 'unused' };
    const again = (await signIn(user.email, fields).expect(200)).body as Tokens;
    expect(again.trusted_device_token).toBe(user.deviceToken);
    const [after] = await devices(user);
    expect(after).toEqual({ ...before, last_used_at: expect.any(String) });
    expect(await devices(user)).toHaveLength(1);
  });

  it('signs in while the second factor is locked', async () => {
    const user = await trusted();
    for (let n = 0; n < 20; n += 1) await signIn(user.email, { recovery_code: 'nope' });
    await signIn(user.email).expect(429);
    expect(await offered(user, user.deviceToken)).toHaveProperty('access_token');
  });

  it('does not replace the second factor when its token is unknown, of another account, or 30 days old', async () => {
    const [user, other] = [await trusted(), await trusted()];
    expect(await offered(user, 'nobody-knows-this')).toEqual(CHALLENGED);
    expect(await offered(user, other.deviceToken)).toEqual(CHALLENGED);
    const [device] = await devices(user);
    const lifetimeMs = Date.parse(device?.expires_at ?? '') - Date.parse(device?.created_at ?? '');
    expect(Math.floor(lifetimeMs / DAY_MS)).toBe(30);
    await expireTrustedDevices(user.id);
    expect(await offered(user, user.deviceToken)).toEqual(CHALLENGED);
    expect(await devices(user)).toEqual([]);
  });

  it('is listed and revoked by its owner alone', async () => {
    const user = await trusted();
    const asUser = api.as(user);
    const stranger = await trusted();
    const [device] = await devices(user);
    expect(device).toEqual({
      id: expect.any(String),
      ip: expect.stringMatching(/127\.0\.0\.1$/),
      user_agent: null,
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
    });
    const path = `${DEVICES}/${device?.id ?? ''}/revoke`;
    await api.as(stranger).post(path, {}).expect(404, NOT_FOUND);
    expect(await offered(user, user.deviceToken)).toHaveProperty('access_token');
    await asUser.post(path, {}).expect(200, { message: 'The device is no longer trusted' });
    await asUser.post(path, {}).expect(404, NOT_FOUND);
    await asUser.post(`${DEVICES}/x/revoke`, {}).expect(422);
    expect(await offered(user, user.deviceToken)).toEqual(CHALLENGED);
    expect(await securityEventTypes(user)).toEqual(
      expect.arrayContaining(['device_trusted', 'trusted_device_revoked']),
    );
  });

  it('is revoked with the last second factor and not before', async () => {
    const user = await trusted();
    const asUser = api.as(user);
    const passkey = await addPasskey(user);
    const proof = { current_password: PASSWORD };
    const disable = { ...proof, code: totpCode(user.secret) };
    await asUser.post('/v1/account/two-factor/disable', disable).expect(200);
    expect(await devices(user)).toHaveLength(1);
    const remove = { ...proof, recovery_code: user.recoveryCodes[0] };
    await asUser.post(`/v1/account/passkeys/${passkey.id}/remove`, remove).expect(200);
    expect(await devices(user)).toEqual([]);
    await addPasskey(user);
    expect(await offered(user, user.deviceToken)).toEqual(CHALLENGED);
  });

  it('is not created when the password changes during the sign-in', async () => {
    const user = await trusted();
    const { challenge_token } = await challengeFor(user.email);
    await setPasswordHash(user.id, await hash('another-password-of-theirs'));
    const code = totpCode(user.secret);
    await api.post('/v1/auth/mfa/totp/verify', { challenge_token, code, remember_device: true }).expect(401, {
      detail: 'Invalid or expired challenge',
    });
    expect(await devices(user)).toHaveLength(1);
  });

  it('is revoked by a change of the password, even for the session that changed it', async () => {
    const user = await trusted();
    const asUser = api.as(user);
    const password = 'difference-engine-no-2';
    const change = { current_password: PASSWORD, code: totpCode(user.secret), password };
    await asUser.post('/v1/account/password/change', change).expect(200);
    expect(await devices(user)).toEqual([]);
    const answer = await signIn(user.email, { password, trusted_device_token: user.deviceToken }).expect(200);
    expect(answer.body).toEqual(CHALLENGED);
    expect(await securityEventTypes(user)).toContain('trusted_device_revoked');
  });
});
