import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { apple, FAILED, google, type Tokens } from '../../support/oauth-api.js';
import {
  type Challenge,
  guardedByTotp,
  mailAbout,
  securityEventTypes,
  sessionOf,
  tally,
  totpCode,
  wrongCode,
} from '../../support/second-factors-api.js';
import { account, type Account, api, PASSWORD, randomEmail } from '../../support/service.js';
import { mailedToken, mailsAbout, registered, securityEvents, signIn } from '../../support/sign-in-api.js';
import { deleteUser } from '../../support/sql-builders/accounts.js';
import { ageSessions, disableAccount } from '../../support/sql-builders/identity.js';
import {
  addPasswordSession,
  isSubjectLinked,
  linkedSubjects,
  linkSubject,
  lockSecondFactor,
  sessionMethods,
  verifiedAccounts,
} from '../../support/sql-builders/oauth.js';
import { accountsWithAddress, accountsWithAddressOrName, setAddress } from '../../support/sql-builders/sign-in.js';

const LINKED_MAIL = 'A sign-in provider was linked to your account';

const me = async ({ access_token: accessToken }: Tokens) =>
  (await api.as({ accessToken }).get('/v1/auth/me').expect(200)).body as Record<string, unknown>;
/** What the security log of the account says, the oldest event first. */
const eventsOf = async ({ access_token: accessToken }: Tokens) =>
  (await securityEvents({ accessToken })).map(({ type, detail, ip }) => ({ type, detail, ip })).reverse();

describe('the first sign-in by a provider', () => {
  it('creates an account with a verified address and without a password', async () => {
    const { subject, email } = await google.addPerson();
    const tokens = await google.signIn(subject);
    expect(tokens).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      access_expires_in: 900,
      refresh_expires_in: 2_592_000,
      token_type: 'bearer',
    });
    expect(await me(tokens)).toMatchObject({ email, name: 'Ada Lovelace', email_verified: true });
    expect(await sessionMethods(email)).toEqual(['oauth']);
    expect(await verifiedAccounts(email)).toEqual([{ password_hash: null, name: 'Ada Lovelace' }]);
    expect(await eventsOf(tokens)).toEqual([
      { type: 'account_registered', detail: { provider: 'google' }, ip: '127.0.0.1' },
      {
        type: 'signed_in_new_device',
        detail: { method: 'oauth', session_id: expect.any(String) as unknown },
        ip: '127.0.0.1',
      },
    ]);
    await signIn(email).expect(401);
  });

  it("takes only the name from Apple's user object, and accepts an address of Apple's relay", async () => {
    const { subject, email } = await apple.addPerson(`${randomBytes(5).toString('hex')}@privaterelay.appleid.com`);
    const raw_user = { name: { firstName: 'Grace', lastName: 'Hopper' }, email: 'somebody@else.example' };
    const tokens = await apple.signIn(subject, { raw_user });
    expect(await me(tokens)).toMatchObject({ email, name: 'Grace Hopper', email_verified: true });
    const again = await apple.signIn(subject, { raw_user: { name: { firstName: 'Mallory' } } });
    expect(await me(again)).toMatchObject({ email, name: 'Grace Hopper' });
  });

  it("takes Apple's user object as JSON text too, which is what Apple's form contains", async () => {
    const { subject } = await apple.addPerson();
    const raw_user = JSON.stringify({ name: { firstName: 'Grace', lastName: 'Hopper' } });
    expect(await me(await apple.signIn(subject, { raw_user }))).toMatchObject({ name: 'Grace Hopper' });
  });

  it('accepts a user object without a usable name', async () => {
    for (const raw_user of [
      null,
      {},
      { name: 'Ada' },
      { name: { firstName: 5 } },
      { name: { lastName: 'x'.repeat(300) } },
    ]) {
      const { subject } = await apple.addPerson();
      expect(await me(await apple.signIn(subject, { raw_user }))).toMatchObject({ name: null });
    }
  });

  it('links the account that has verified the address, and mails its owner', async () => {
    const user = await registered();
    const { subject } = await google.addPerson(user.email.toUpperCase());
    const tokens = await google.signIn(subject);
    expect(await me(tokens)).toMatchObject({ id: user.id, email: user.email });
    await signIn(user.email).expect(200);
    expect((await eventsOf(tokens)).filter(({ type }) => type === 'oauth_linked')).toEqual([
      { type: 'oauth_linked', detail: { provider: 'google' }, ip: '127.0.0.1' },
    ]);
    expect(await mailsAbout(user.email, LINKED_MAIL)).toHaveLength(1);
  });

  it('takes over a registration that nobody verified, without its password, name and sessions', async () => {
    const { subject, email } = await google.addPerson();
    await api.post('/v1/auth/register', { email, password: PASSWORD, name: 'Mallory' }).expect(201);
    const token = await mailedToken(email);
    await addPasswordSession(email);

    const tokens = await google.signIn(subject);
    expect(await me(tokens)).toMatchObject({ email, name: 'Ada Lovelace', email_verified: true });
    await api.post('/v1/auth/verify-email', { email, token });
    await signIn(email).expect(401, { detail: 'Incorrect email or password' });
    expect(await sessionMethods(email)).toEqual(['oauth']);
    expect(await eventsOf(tokens)).toContainEqual({
      type: 'account_registered',
      detail: { provider: 'google', replaced_unverified_registration: true },
      ip: '127.0.0.1',
    });
  });

  it('returns 401 for the address of a disabled account, without a link or a take-over', async () => {
    const users = [await registered(), await guardedByTotp()];
    for (const user of users) {
      await disableAccount(user.id);
      const { subject } = await google.addPerson(user.email);
      expect(await google.failedLogin(await google.readyLogin(subject))).toContain('the account is disabled');
      expect(await linkedSubjects(user.id)).toEqual([]);
    }
    const { subject, email } = await google.addPerson();
    await api.post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
    const [unverified = ''] = await accountsWithAddress(email);
    await disableAccount(unverified);
    await google.login(await google.readyLogin(subject)).expect(401, FAILED);
    expect(await verifiedAccounts(email)).toEqual([]);
  });

  it.each([
    ['says that the address is not verified', { email_verified: false }],
    ['says in a text that the address is not verified', { email_verified: 'false' }],
    ['does not say whether the address is verified', { email_verified: undefined }],
    ['gives no address', { email: undefined }],
    ['gives an address that is none', { email: 'nowhere' }],
  ])('returns 401 when the provider %s', async (_, change) => {
    const user = await account();
    const { subject, email } = await google.addPerson();
    const name = `Ada ${randomBytes(6).toString('hex')}`;
    await google.setClaims(subject, { email: user.email, email_verified: true, name, ...change });
    await google.login(await google.readyLogin(subject)).expect(401, FAILED);
    expect(await isSubjectLinked(google.issuer, subject)).toBe(false);
    expect(await linkedSubjects(user.id)).toEqual([]);
    expect(await accountsWithAddressOrName(user.email, name)).toEqual([user.id]);
    for (const address of [email, 'nowhere']) expect(await accountsWithAddressOrName(address, name)).toEqual([]);
  });
});

describe('an account with a second factor', () => {
  const GONE = { detail: 'Invalid or expired challenge' };
  const challenged = async (subject: string) =>
    (await google.login(await google.readyLogin(subject)).expect(200)).body as Challenge;
  const pass = ({ challenge_token }: Challenge, recovery_code: string | undefined) =>
    api.post('/v1/auth/mfa/recovery-code/verify', { challenge_token, recovery_code });
  const guarded = async () => {
    const user = await guardedByTotp();
    const { subject } = await google.addPerson(user.email);
    return { user, subject, codes: user.recoveryCodes };
  };

  it('is not opened by somebody who creates an account with its address at a provider', async () => {
    const { user, subject, codes } = await guarded();
    const challenge = await challenged(subject);
    expect(challenge).toEqual({
      mfa_required: true,
      challenge_token: expect.stringMatching(/^[\w-]{43}$/),
      challenge_expires_in: 300,
      methods: ['totp', 'recovery_code'],
    });
    const { challenge_token } = challenge;
    await api.as({ accessToken: challenge_token }).get('/v1/auth/me').expect(401);
    const code = wrongCode(user.secret);
    for (let n = 0; n < 5; n += 1) {
      await api.post('/v1/auth/mfa/totp/verify', { challenge_token, code }).expect(401);
    }
    await pass(challenge, codes[0]).expect(401, GONE);
    expect(await challenged(subject)).toMatchObject({ mfa_required: true });
    expect(await linkedSubjects(user.id)).toEqual([]);
    expect(await securityEventTypes(user)).not.toContain('oauth_linked');
  });

  it('is linked by its owner, whose later sign-ins by the provider need no second factor', async () => {
    const { user, subject } = await guarded();
    const { challenge_token } = await challenged(subject);
    const body = { challenge_token, code: totpCode(user.secret), remember_device: true };
    const answer = await api.post('/v1/auth/mfa/totp/verify', body).expect(200);
    expect(answer.body).toMatchObject({ trusted_device_token: expect.any(String) });
    const tokens = answer.body as Tokens;
    expect(await me(tokens)).toMatchObject({ id: user.id });
    expect((await sessionOf(tokens.access_token))?.method).toBe('oauth');
    await mailAbout(user.email, LINKED_MAIL);
    expect(await me(await google.signIn(subject))).toMatchObject({ id: user.id });
    expect((await signIn(user.email).expect(200)).body).toMatchObject({ mfa_required: true });
    const linked = (await eventsOf(tokens)).filter(({ type }) => type === 'oauth_linked');
    expect(linked).toEqual([{ type: 'oauth_linked', detail: { provider: 'google' }, ip: '127.0.0.1' }]);
  });

  it('is linked once when two of its sign-ins pass at the same instant', async () => {
    const { user, subject, codes } = await guarded();
    const challenges = [await challenged(subject), await challenged(subject)];
    const answers = await Promise.all(challenges.map((challenge, one) => pass(challenge, codes[one])));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await linkedSubjects(user.id)).toEqual([subject]);
    expect((await securityEventTypes(user)).filter((type) => type === 'oauth_linked')).toHaveLength(1);
  });

  it('is linked with one of two subjects of a provider, and refuses every other subject', async () => {
    const { user, subject, codes } = await guarded();
    const { subject: other } = await google.addPerson(user.email);
    const challenges = [await challenged(subject), await challenged(other)];
    const answers = await Promise.all(challenges.map((challenge, one) => pass(challenge, codes[one])));
    expect(tally(answers)).toEqual({ '200': 1, '401 Invalid or expired challenge': 1 });
    expect(await linkedSubjects(user.id)).toHaveLength(1);
    const { subject: late } = await google.addPerson(user.email);
    await google.login(await google.readyLogin(late)).expect(401, FAILED);
  });

  it.each<[string, (user: Account) => Promise<void>]>([
    ['gets another address', ({ id, email }) => setAddress(id, `x${email}`, `x${email}`)],
    ['is deleted', ({ id }) => deleteUser(id)],
    ['is disabled', ({ id }) => disableAccount(id)],
    [
      'is linked to another subject',
      ({ id }) => linkSubject({ issuer: google.issuer, subject: randomBytes(8).toString('hex'), userId: id }),
    ],
  ])('is not linked when it %s before the challenge is passed', async (_, change) => {
    const { user, subject, codes } = await guarded();
    const challenge = await challenged(subject);
    await change(user);
    const before = await linkedSubjects(user.id);
    await pass(challenge, codes[0]).expect(401, GONE);
    await pass(challenge, codes[1]).expect(401, GONE);
    expect(await linkedSubjects(user.id)).toEqual(before);
  });

  it('is locked for sign-ins by a provider too after too many wrong codes', async () => {
    const { user, subject, codes } = await guarded();
    const challenge = await challenged(subject);
    await lockSecondFactor(user.id);
    await google.login(await google.readyLogin(subject)).expect(429);
    await pass(challenge, codes[0]).expect(429);
    expect(await linkedSubjects(user.id)).toEqual([]);
  });
});

describe('a session that began with a sign-in by a provider', () => {
  const options = ({ access_token: accessToken }: Tokens, body: object = {}) =>
    api.as({ accessToken }).post('/v1/account/passkeys/register/options', body);

  it('adds a passkey to an account with a password only with this password', async () => {
    const user = await account();
    const tokens = await google.signIn((await google.addPerson(user.email)).subject);
    await options(tokens).expect(403, { detail: 'Incorrect password' });
    await options(tokens, { current_password: PASSWORD }).expect(200);
  });

  it('adds a passkey to an account without a password only while the sign-in is fresh', async () => {
    const tokens = await google.signIn((await google.addPerson()).subject);
    await options(tokens).expect(200);
    await ageSessions(String((await me(tokens))['id']), 5);
    await options(tokens).expect(403, { detail: 'Sign in again to confirm this change' });
  });
});

describe('a later sign-in by a provider', () => {
  it('finds the account by the subject, whatever became of the address', async () => {
    const { subject, email } = await google.addPerson();
    const first = await me(await google.signIn(subject));
    await google.setClaims(subject, { email: randomEmail(), email_verified: false });
    expect(await me(await google.signIn(subject))).toMatchObject({ id: first['id'], email });
  });

  it('returns 401 when the account is disabled', async () => {
    const { subject, email } = await google.addPerson();
    await google.signIn(subject);
    const [id = ''] = await accountsWithAddress(email);
    await disableAccount(id);
    expect(await google.failedLogin(await google.readyLogin(subject))).toContain('the account is disabled');
  });

  it('returns 401 for a subject whose address belonged to another subject of the provider before', async () => {
    const { subject, email } = await google.addPerson();
    await google.signIn(subject);
    const heir = await google.addPerson(email);
    await google.login(await google.readyLogin(heir.subject)).expect(401, FAILED);
    const viaOther = await apple.addPerson(email);
    await apple.signIn(viaOther.subject);
    expect(await verifiedAccounts(email)).toHaveLength(1);
  });
});

describe('a race of first sign-ins by providers', () => {
  it('creates one account when both providers are used in parallel', async () => {
    const { subject, email } = await google.addPerson();
    const atApple = await apple.addPerson(email);
    const logins = [];
    for (let i = 0; i < 4; i += 1) {
      const byGoogle = await google.readyLogin(subject);
      const byApple = await apple.readyLogin(atApple.subject);
      logins.push(
        () => google.login(byGoogle).expect(200),
        () => apple.login(byApple).expect(200),
      );
    }
    const answers = await Promise.all(logins.map((login) => login()));
    const tokens = answers.map(({ body }) => body as Tokens);
    const ids = await Promise.all(tokens.map(async (one) => (await me(one))['id']));
    expect(new Set(ids).size).toBe(1);
    expect(await verifiedAccounts(email)).toHaveLength(1);
    const types = (await eventsOf(tokens[0]!)).map(({ type }) => type);
    const isSignIn = (type: string): boolean => type.startsWith('signed_in');
    expect(types.filter(isSignIn)).toHaveLength(8);
    expect(types.filter((type) => !isSignIn(type)).sort()).toEqual(['account_registered', 'oauth_linked']);
  });

  it('takes an unverified registration over once', async () => {
    const { subject, email } = await google.addPerson();
    await api.post('/v1/auth/register', { email, password: PASSWORD }).expect(201);
    const bodies = [];
    for (let i = 0; i < 5; i += 1) bodies.push(await google.readyLogin(subject));
    await Promise.all(bodies.map((body) => google.login(body).expect(200)));
    expect(await verifiedAccounts(email)).toEqual([{ password_hash: null, name: 'Ada Lovelace' }]);
  });
});
