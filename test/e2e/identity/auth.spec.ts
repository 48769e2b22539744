import { createHmac, createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  createRemoteJWKSet,
  type CryptoKey,
  type JWK,
  decodeJwt,
  decodeProtectedHeader,
  exportSPKI,
  importJWK,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import type { Tokens } from '../../support/second-factors-api.js';
import { capturedMails, mailsTo, tokenIn } from '../../support/service-mail.js';
import { account, type Account, api, PASSWORD, randomEmail, service } from '../../support/service.js';
import {
  login,
  mailedToken,
  mailsAbout,
  mailRequestsHandled,
  refresh,
  register,
  registered,
  securityEvents,
  sessionIdOf,
  signIn,
} from '../../support/sign-in-api.js';
import { disableAccount } from '../../support/sql-builders/identity.js';
import {
  accountsWithAddress,
  accountsWithAddressOrName,
  accountsWithLocalPart,
  ageMailedTokens,
  drawRefreshToken,
  endRefreshGrace,
  expireMailedTokensIn,
  expireSession,
  failedSignIns,
  livingRefreshTokens,
  setAddress,
  setRefreshAddress,
  storedSignIns,
} from '../../support/sql-builders/sign-in.js';

const NOT_AUTHENTICATED = { detail: 'Not authenticated' };
const WRONG = { detail: 'Incorrect email or password' };
const INVALID_REFRESH = { detail: 'Invalid refresh token' };
const REUSED = { detail: 'Refresh token reuse detected' };

const me = (accessToken: string) => api.as({ accessToken }).get('/v1/auth/me');
const refreshed = async (token: string) => (await refresh(token).expect(200)).body as Tokens;
const verify = (email: string, token: string) => api.post('/v1/auth/verify-email', { email, token });
const signOut = ({ refreshToken }: Account) => api.post('/v1/auth/logout', { refresh_token: refreshToken });

describe('a registration', () => {
  it('mails a link, and lets nobody sign in before the link has confirmed the address', async () => {
    const email = randomEmail();
    const answer = await register(email).expect(201);
    expect(answer.body).toEqual({ message: expect.any(String), email, verification_required: true });
    await signIn(email).expect(403, { detail: 'Email not verified' });

    const [mail] = await mailsTo(email);
    if (mail === undefined) throw new Error('no mail');
    const link = new URL(/https?:\/\/\S+/.exec(mail.text ?? '')?.[0] ?? '');
    expect(link.pathname).toBe('/verify-email');
    expect(link.searchParams.get('email')).toBe(email);
    const verified = await verify(email, tokenIn(mail)).expect(200);
    expect(verified.body).toEqual({ message: expect.any(String), email_verified: true });

    const tokens = (await signIn(email).expect(200)).body as Tokens;
    expect(tokens).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      access_expires_in: 900,
      refresh_expires_in: 2_592_000,
      token_type: 'bearer',
    });
    const own = await me(tokens.access_token).expect(200);
    expect(own.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      email,
      name: 'Ada',
      email_verified: true,
      two_factor_enabled: false,
      passkey_count: 0,
      has_password: true,
      is_platform_admin: false,
      pending_plan: null,
      selected_project_id: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it.each(['u@xn--\u00fc.example', `u@${'\u00fc'.repeat(62)}.example`, ' ', 'u @example.com', 'u@ example.com'])(
    'returns 422 for %j, which no mail can reach',
    async (email) => {
      const { body } = await register(email).expect(422);
      expect((body as { detail: object[] }).detail).toMatchObject([{ type: 'value_error', loc: ['body', 'email'] }]);
    },
  );

  it('returns the same answer for an address that has an account, and mails its owner instead', async () => {
    const { email } = await registered();
    const answer = await register(email.toUpperCase(), 'another-long-password').expect(201);
    expect(answer.body).toMatchObject({ verification_required: true });
    const mails = await mailsTo(email, 2);
    expect(mails[1]?.subject).toBe('You already have an account');
    await signIn(email, 'another-long-password').expect(401);
    await signIn(email.toUpperCase()).expect(200);
  });

  it('returns 422 for a common password in full-width letters', async () => {
    await register(randomEmail(), '\uff50assword1').expect(422);
  });

  it('mails the owner of an account at most once a minute, although it is repeated five times', async () => {
    const { email } = await registered();
    for (let index = 0; index < 5; index += 1) await register(email).expect(201);
    // The service mails about registrations in their order.
    const later = randomEmail();
    await register(later).expect(201);
    await mailsTo(later);
    expect(await mailsAbout(email, 'You already have an account')).toHaveLength(1);
  });

  it('creates one account when eight requests register an address in parallel', async () => {
    const email = randomEmail();
    const answers = await Promise.all(Array.from({ length: 8 }, () => register(email)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(await accountsWithAddress(email)).toHaveLength(1);
  });

  it.each([
    ['a short password', { password: 'short' }, ['string_too_short', 'password']],
    ['a common password', { password: 'password123' }, ['value_error', 'password']],
    ['a long password', { password: 'x'.repeat(129) }, ['string_too_long', 'password']],
    ['no address', { email: undefined }, ['missing', 'email']],
    ['an address without @', { email: 'ada' }, ['value_error', 'email']],
    [
      'an address of 255 characters',
      { email: `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example` },
      ['value_error', 'email'],
    ],
    ['a name that is a number', { name: 5 }, ['string_type', 'name']],
  ])('returns 422 for %s, and creates no account', async (_, change, [type, field]) => {
    const email = randomEmail();
    // At least one of the two is sent, and no other account has it.
    const name = `Ada of ${email}`;
    const answer = await api.post('/v1/auth/register', { email, password: PASSWORD, name, ...change }).expect(422);
    const [issue] = (answer.body as { detail: { type: string; loc: string[] }[] }).detail;
    expect([issue?.type, issue?.loc]).toEqual([type, ['body', field]]);
    expect(await accountsWithAddressOrName(email, name)).toEqual([]);
  });

  it('returns 422 when the password is the address, and does not repeat it', async () => {
    const email = randomEmail();
    const answer = await register(email, email.toUpperCase()).expect(422);
    expect(answer.body).toEqual({
      detail: [
        {
          type: 'value_error',
          loc: ['body', 'password'],
          msg: 'Value error, password must not be the e-mail address',
          input: '[redacted]',
          ctx: { error: {} },
        },
      ],
    });
  });
});

describe('the address of an account', () => {
  it('is compared without case in ASCII letters alone, and the Kelvin sign is not a K', async () => {
    const local = `mike-${randomEmail()}`;
    const kelvin = local.replace('k', '\u212a');
    const { id } = await registered(local);
    await signIn(local.toUpperCase()).expect(200);
    await signIn(kelvin).expect(401, WRONG);
    const refused = await register(kelvin).expect(422);
    expect((refused.body as { detail: object[] }).detail).toMatchObject([{ loc: ['body', 'email'] }]);

    const accented = `ren\u00e9-${randomEmail()}`;
    await setAddress(id, accented, accented);
    await signIn(accented.normalize('NFD')).expect(200);
    await signIn(accented.replace('\u00e9', '\u00c9')).expect(401);
  });

  it('is found by each spelling when its marks combine with small letters alone', async () => {
    const email = randomEmail();
    const spelled = `J\u030cH\u0331-${email}`;
    const { id } = await registered();
    await setAddress(id, spelled, `\u01f0\u1e96-${email}`);
    await signIn(spelled).expect(200);
    await signIn(spelled.toLowerCase()).expect(200);
    await signIn(spelled.toLowerCase().normalize('NFC')).expect(200);
  });

  it('is found by each spelling of its domain and with blanks around it, and gets no second account', async () => {
    const { id, email } = await registered();
    const local = email.split('@')[0] ?? '';
    const domains = [
      'b\u00fccher.example',
      'xn--bcher-kva.example',
      'BU\u0308CHER.Example',
      '\uff42\u00fccher.example',
    ];
    const [given = '', ...others] = domains.map((domain) => `${local}@${domain}`);
    await setAddress(id, given, `${local}@xn--bcher-kva.example`);
    for (const spelling of [given, ...others]) {
      await signIn(spelling).expect(200);
      await signIn(` \t${spelling}\n`).expect(200);
    }
    for (const spelling of [`${local}@xn--bcher-kva.example`, `${local}@XN--BCHER-KVA.example`]) {
      await register(spelling, 'another-long-password').expect(201);
    }
    expect(await accountsWithLocalPart(local)).toEqual([{ id, email: given }]);
  });
});

describe('an address that is registered several times before its confirmation', () => {
  const [OWNERS, STRANGERS] = ['password-of-the-owner', 'password-of-the-stranger'];
  const chooseByReset = async (email: string) => {
    await api.post('/v1/auth/password-reset/request', { email }).expect(200);
    const [mail] = await mailsAbout(email, 'Choose a new password');
    const token = tokenIn(mail as never);
    await api.post('/v1/auth/password-reset/confirm', { token, password: PASSWORD }).expect(200);
    await signIn(email).expect(200);
  };

  it.each([
    ['at once, and the only mail confirms it', [OWNERS, STRANGERS], 0, 0],
    ['a minute later, and the mail of the first confirms it', [OWNERS, STRANGERS], 61, 0],
    ['a minute later, and the newest mail confirms it', [OWNERS, STRANGERS], 61, 1],
    ['a minute later by its owner, and the newest mail confirms it', [STRANGERS, OWNERS], 61, 1],
    ['two days later, and the newest mail confirms it', [STRANGERS, OWNERS], 172_800, 1],
    ['twice, and the last password is the first again', [OWNERS, STRANGERS, OWNERS], 61, 1],
  ] as const)('has no valid password when another one comes %s', async (_, passwords, seconds, opened) => {
    const email = randomEmail();
    for (const [index, password] of passwords.entries()) {
      if (index > 0) await ageMailedTokens(email, seconds);
      await register(email, password).expect(201);
      await mailsTo(email, seconds === 0 ? 1 : index + 1);
    }
    const mails = await capturedMails(email);
    const answer = await verify(email, tokenIn(mails[opened] as never)).expect(200);
    expect(answer.body).toEqual({
      message: 'The address is confirmed; choose a password by a reset',
      email_verified: true,
    });
    for (const password of [OWNERS, STRANGERS]) await signIn(email, password).expect(401, WRONG);
    if (opened === 1) expect(mails[1]?.text).toContain('none of them counts');
    await chooseByReset(email);
  });

  it.each([2, 3])('has no valid password when %d come at the same instant', async (count) => {
    const email = randomEmail();
    const passwords = Array.from({ length: count }, (_, one) => `password-of-number-${one}`);
    const answers = await Promise.all(passwords.map((password) => register(email, password)));
    expect(answers.map(({ status }) => status)).toEqual(passwords.map(() => 201));
    await verify(email, await mailedToken(email)).expect(200);
    for (const password of passwords) await signIn(email, password).expect(401);
    await chooseByReset(email);
  });

  it('keeps the password when each registration has the same, also at the same instant', async () => {
    const email = randomEmail();
    const answers = await Promise.all(Array.from({ length: 4 }, () => register(email, OWNERS)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    await mailsTo(email);
    await ageMailedTokens(email, 61);
    await register(email, OWNERS).expect(201);
    const answer = await verify(email, await mailedToken(email, 2)).expect(200);
    expect(answer.body).toEqual({ message: 'The address is confirmed', email_verified: true });
    await signIn(email, OWNERS).expect(200);
  });
});

describe('a token that confirms an address', () => {
  it('returns 400 when it is wrong, used, expired or of another account', async () => {
    const [email, other] = [randomEmail(), randomEmail()];
    await register(email).expect(201);
    await register(other).expect(201);
    const token = await mailedToken(email);
    const refused = { detail: 'Invalid or expired verification token' };
    await verify(email, 'x'.repeat(43)).expect(400, refused);
    await verify(other, token).expect(400, refused);
    await verify(randomEmail(), token).expect(400, refused);
    await expireMailedTokensIn(email, 0);
    await verify(email, token).expect(400, refused);
    await expireMailedTokensIn(email, 3600);
    const answers = await Promise.all(Array.from({ length: 10 }, () => verify(email, token)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    await verify(email, token).expect(400, refused);
  });

  it('is mailed again at most once a minute, and the answer is the same for any address', async () => {
    const email = randomEmail();
    await register(email).expect(201);
    await mailsTo(email);
    const resend = (address: string) => api.post('/v1/auth/resend-verification', { email: address }).expect(200);
    const answer = await resend(email);
    expect((await resend(randomEmail())).body).toEqual(answer.body);
    // Until the service has handled the first request it leaves out others for the address.
    await mailRequestsHandled();
    expect(await capturedMails(email)).toHaveLength(1);
    await ageMailedTokens(email, 61);
    await Promise.all([resend(email), resend(email), resend(email)]);
    await verify(email, await mailedToken(email, 2)).expect(200);
    await mailRequestsHandled();
    expect(await capturedMails(email)).toHaveLength(2);
  });
});

describe('a sign-in with a password', () => {
  it('returns the same error for a wrong password and for an unknown address', async () => {
    const { email } = await registered();
    await signIn(email, 'wrong-password').expect(401, WRONG);
    await signIn(randomEmail()).expect(401, WRONG);
  });

  it('counts the right password of a disabled account as a wrong one', async () => {
    const { id, email } = await account();
    await disableAccount(id);
    await failedSignIns(email, 28);
    for (let n = 0; n < 2; n += 1) await signIn(email).expect(401, WRONG);
    await signIn(email).expect(429);
  });

  it('returns 422 when a field of the form is missing, and 415 for JSON', async () => {
    const missing = (field: string) => ({ type: 'missing', loc: ['body', field], msg: 'Field required', input: null });
    await api
      .post('/v1/auth/login')
      .type('form')
      .send({})
      .expect(422, { detail: [missing('username'), missing('password')] });
    await api
      .post('/v1/auth/login', { username: 'a', password: 'b' })
      .expect(415, { detail: 'Unsupported Media Type' })
      .expect('Accept-Post', 'application/x-www-form-urlencoded');
  });

  it('stores neither the password nor the refresh token', async () => {
    const user = await registered();
    const stored = await storedSignIns(user.id);
    expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(stored).toContain(sessionIdOf(user));
    expect(stored).not.toContain(PASSWORD);
    expect(stored).not.toContain(user.refreshToken);
  });
});

describe('a refresh token', () => {
  it('is replaced at each use, and ends the whole session when an older one is used again', async () => {
    const first = await registered();
    const second = await refreshed(first.refreshToken);
    expect(second.refresh_token).not.toBe(first.refreshToken);
    const third = await refreshed(second.refresh_token);
    await me(third.access_token).expect(200);

    await refresh(first.refreshToken).expect(401, REUSED);
    await refresh(third.refresh_token).expect(401, INVALID_REFRESH);
    for (const accessToken of [first.accessToken, second.access_token, third.access_token]) {
      await me(accessToken).expect(401, NOT_AUTHENTICATED);
    }
  });

  it('has the same successor when it is used again within the grace period', async () => {
    const { refreshToken } = await account();
    const lost = await refreshed(refreshToken);
    const again = await refreshed(refreshToken);
    expect(again.refresh_token).toBe(lost.refresh_token);
    expect(again.refresh_token).toMatch(/^[\w-]{43}$/);
    for (const { access_token } of [lost, again]) await me(access_token).expect(200);
    const third = await refreshed(lost.refresh_token);
    expect((await refreshed(again.refresh_token)).refresh_token).toBe(third.refresh_token);
  });

  it('is reported when another program or address uses it too, and ends the session when both use its successor', async () => {
    const { id, email, refreshToken } = await account();
    const from = (program: string, token: string) => refresh(token).set('User-Agent', program);
    const owner = (await from('Browser/1.0', refreshToken).expect(200)).body as Tokens;
    const retry = (await from('Browser/1.0', refreshToken).expect(200)).body as Tokens;
    const types = async () => (await securityEvents({ accessToken: retry.access_token })).map(({ type }) => type);
    expect(await types()).not.toContain('refresh_token_shared');

    const thief = (await from('curl/8.0', refreshToken).expect(200)).body as Tokens;
    expect(thief.refresh_token).toBe(owner.refresh_token);
    const [event] = await securityEvents({ accessToken: owner.access_token });
    expect(event).toMatchObject({ type: 'refresh_token_shared', ip: '127.0.0.1', user_agent: 'curl/8.0' });
    expect(event?.detail).toEqual({ session_id: sessionIdOf({ accessToken: owner.access_token }) });
    await mailsAbout(email, 'A session of your account was refreshed from two places');

    await setRefreshAddress(refreshToken, '203.0.113.7');
    await from('Browser/1.0', refreshToken).expect(200);
    expect((await types()).filter((type) => type === 'refresh_token_shared')).toHaveLength(2);

    await from('curl/8.0', thief.refresh_token).expect(200);
    await endRefreshGrace(id);
    await from('Browser/1.0', owner.refresh_token).expect(401, REUSED);
    await me(thief.access_token).expect(401);
  });

  it('ends the session when it is used again after the grace period', async () => {
    const user = await registered();
    const next = await refreshed(user.refreshToken);
    await endRefreshGrace(user.id);
    await refresh(user.refreshToken).expect(401, REUSED);
    await refresh(next.refresh_token).expect(401, INVALID_REFRESH);
  });

  it('continues a session of earlier versions, which drew each token at random', async () => {
    const user = await account();
    await refresh(user.refreshToken).expect(200);
    const drawn = randomBytes(32).toString('base64url');
    await drawRefreshToken(user.id, drawn);
    const repeated = await refreshed(user.refreshToken);
    await refresh(drawn).expect(401, INVALID_REFRESH);
    expect(await livingRefreshTokens(user.id)).toBe(1);
    await refresh(repeated.refresh_token).expect(200);
  });

  it('returns 401 when it is unknown or its session has expired', async () => {
    await refresh('nobody-knows-this').expect(401, INVALID_REFRESH);
    const user = await registered();
    await expireSession(sessionIdOf(user));
    await refresh(user.refreshToken).expect(401, INVALID_REFRESH);
  });
});

describe('a sign-out', () => {
  it('ends the session at once, and succeeds again without one', async () => {
    const user = await registered();
    await me(user.accessToken).expect(200);
    const answer = await signOut(user).expect(200);
    await me(user.accessToken).expect(401, NOT_AUTHENTICATED);
    await refresh(user.refreshToken).expect(401, INVALID_REFRESH);
    const again = await signOut(user).expect(200);
    expect(again.body).toEqual(answer.body);
  });

  it('leaves the other sessions of the account open', async () => {
    const user = await registered();
    const other = await login(user.email);
    await signOut(user).expect(200);
    await me(other.accessToken).expect(200);
  });
});

describe('an access token', () => {
  it('is an ES256 token that the published keys verify', async () => {
    const user = await registered();
    expect(decodeProtectedHeader(user.accessToken)).toMatchObject({ alg: 'ES256', kid: expect.any(String) });
    const keys = createRemoteJWKSet(new URL(`${service.url}/v1/auth/jwks`));
    const { payload } = await jwtVerify(user.accessToken, keys);
    expect(payload).toMatchObject({
      sub: user.id,
      sid: expect.any(String),
      iss: expect.any(String),
      aud: expect.any(String),
    });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(900);
    const jwks = (await api.get('/v1/auth/jwks').expect(200)).body as { keys: Record<string, string>[] };
    expect(Object.keys(jwks.keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  it('returns 401 when it is forged, foreign, unsigned, cut short or of another kind', async () => {
    const user = await registered();
    const claims = decodeJwt(user.accessToken);
    const header = decodeProtectedHeader(user.accessToken) as { alg: string; kid: string; typ: string };
    const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const [jwk] = ((await api.get('/v1/auth/jwks')).body as { keys: Record<string, string>[] }).keys;
    const publicPem = await exportSPKI((await importJWK(jwk as JWK, 'ES256', { extractable: true })) as CryptoKey);
    const hmacInput = `${Buffer.from(JSON.stringify({ ...header, alg: 'HS256' })).toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    const hs256 = `${hmacInput}.${createHmac('sha256', publicPem).update(hmacInput).digest('base64url')}`;
    expect(createPublicKey(publicPem).asymmetricKeyType).toBe('ec');
    const tokens = {
      'signed by a stranger': await new SignJWT(claims).setProtectedHeader(header).sign(foreign),
      unsigned: new UnsecuredJWT(claims).encode(),
      'HS256 with the public key': hs256,
      'a refresh token': user.refreshToken,
      'cut short': user.accessToken.slice(0, -2),
      empty: '',
    };
    for (const token of Object.values(tokens)) await me(token).expect(401, NOT_AUTHENTICATED);
    for (const authorization of [user.accessToken, `Basic ${user.accessToken}`]) {
      await api.get('/v1/auth/me').set('Authorization', authorization).expect(401);
    }
    const answer = await api.get('/v1/auth/me').expect(401, NOT_AUTHENTICATED);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });
});
