import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.js';
import { apple, FAILED, google, REDIRECT_URI } from '../../support/oauth-api.js';
import { api, job, service } from '../../support/service.js';
import { logText } from '../../support/service-log.js';
import {
  expiredUsedNonce,
  expireStart,
  isUsedNonceKept,
  storedStart,
  verifiedAccounts,
} from '../../support/sql-builders/oauth.js';

interface Refusal {
  detail: { type: string; loc: string[] }[];
}

const sha256 = (text: string) => createHash('sha256').update(text);

describe('the list of sign-in providers', () => {
  it('names the configured providers with their client identifiers', async () => {
    const { body } = await api.get('/v1/auth/oauth/providers').expect(200);
    expect(body).toEqual([
      { provider: 'google', client_id: google.clientId },
      { provider: 'apple', client_id: apple.clientId },
    ]);
  });
});

describe('the start of a sign-in by a provider', () => {
  it('returns an authorization URL with state, nonce and an S256 challenge', async () => {
    const start = await google.start();
    const url = new URL(start.authorization_url);
    expect(url.origin).toBe(google.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: google.clientId,
      redirect_uri: REDIRECT_URI,
      scope: 'openid email profile',
      state: start.state,
      nonce: start.nonce,
      code_challenge: sha256(start.code_verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(start.code_verifier).toMatch(/^[\w-]{43}$/);
    expect(new Set([start.state, start.nonce, start.code_verifier, (await google.start()).nonce]).size).toBe(4);
  });

  it('requests a form post from Apple, which otherwise gives no name and address', async () => {
    const { searchParams } = new URL((await apple.start()).authorization_url);
    expect(searchParams.get('response_mode')).toBe('form_post');
    expect(searchParams.get('scope')).toBe('openid name email');
  });

  it('stores only hashes of state, nonce and code_verifier', async () => {
    const start = await google.start();
    const stored = await storedStart(start.nonce);
    const texts = [start.state, start.nonce, start.code_verifier];
    expect(stored).toContain(sha256(start.nonce).digest('hex'));
    for (const text of texts) expect(stored).not.toContain(Buffer.from(text).toString('hex'));
    for (const text of texts) expect(stored).not.toContain(text);
  });

  it.each([
    ['another provider', { provider: 'github' }, 'provider'],
    ['a relative redirect_uri', { redirect_uri: '/callback' }, 'redirect_uri'],
    ['a redirect_uri with a fragment', { redirect_uri: `${REDIRECT_URI}#x` }, 'redirect_uri'],
  ])('returns 422 for %s', async (_, change, field) => {
    const body = { provider: 'google', redirect_uri: REDIRECT_URI, ...change };
    const answer = await api.post('/v1/auth/oauth/authorize', body).expect(422);
    expect((answer.body as Refusal).detail.map(({ loc }) => loc)).toEqual([['body', field]]);
  });

  it('is removed by maintenance when it has expired, and so is a used nonce', async () => {
    const { nonce: expired } = await google.start();
    await expireStart(expired);
    const used = await expiredUsedNonce();
    const { nonce } = await google.start();
    await eventually(
      async () => {
        await job('maintenance');
        return [await storedStart(expired), await isUsedNonceKept(used)];
      },
      ([start, isKept]) => start === '[]' && isKept === false,
    );
    expect(await storedStart(nonce)).toContain(sha256(nonce).digest('hex'));
  });
});

describe('the form that a sign-in provider posts', () => {
  it('is redirected to the console with its values after #, so that no log of an address shows them', async () => {
    const form = { code: 'a/b', state: 's', other: 'x', id_token: 'y' };
    const answer = await api.post('/console/oauth/callback').type('form').send(form).expect(303);
    expect(answer.headers.location).toBe('/console/oauth/callback#code=a%2Fb&state=s');
  });
});

describe('a login by a provider', () => {
  const other = randomBytes(32).toString('base64url');

  it.each([
    ['without the code_verifier', { code_verifier: undefined }, 'another code_verifier'],
    ['with another code_verifier', { code_verifier: other }, 'another code_verifier'],
    ['with another state', { state: other }, 'another state'],
    ['with another redirect_uri', { redirect_uri: `${REDIRECT_URI}/x` }, 'another redirect_uri'],
    ['with another provider', { provider: 'apple' }, 'another provider'],
    ['with another issuer in the callback', { iss: 'https://accounts.example.com' }, 'another issuer'],
    ['with another code', { code: other }, '400 invalid_grant'],
  ])('returns 401 %s, and uses the nonce up', async (_, change, cause) => {
    const { subject, email } = await google.addPerson();
    const body = await google.readyLogin(subject);
    expect(await google.failedLogin({ ...body, ...change })).toContain(cause);
    await google.login(body).expect(401, FAILED);
    expect(await verifiedAccounts(email)).toEqual([]);
  });

  it('returns 401 with the nonce of another start', async () => {
    const { subject } = await google.addPerson();
    const body = await google.readyLogin(subject);
    const { nonce, code_verifier } = await google.start();
    await google.login({ ...body, nonce, code_verifier, state: undefined }).expect(401, FAILED);
  });

  it('returns 401 when its start has expired', async () => {
    const { subject } = await google.addPerson();
    const body = await google.readyLogin(subject);
    await expireStart(body['nonce'] ?? '');
    await google.login(body).expect(401, FAILED);
  });

  it('needs neither state nor issuer, and takes a nonce once', async () => {
    const { subject } = await google.addPerson();
    const { code, nonce, code_verifier } = await google.readyLogin(subject);
    await google.login({ code, nonce, code_verifier }).expect(200);
    await google.login({ code, nonce, code_verifier }).expect(401, FAILED);
  });

  it('takes a nonce of 1 to 512 characters', async () => {
    for (const nonce of ['y', 'y'.repeat(512)]) await google.login({ code: 'x', nonce }).expect(401, FAILED);
    for (const [nonce, type] of [
      ['', 'string_too_short'],
      ['y'.repeat(513), 'string_too_long'],
    ]) {
      const answer = await google.login({ code: 'x', nonce }).expect(422);
      expect((answer.body as Refusal).detail).toMatchObject([{ type, loc: ['body', 'nonce'] }]);
    }
  });

  it.each([
    ['the text []', '[]', 'dict_type'],
    ['the text "Ada"', '"Ada"', 'dict_type'],
    ['the text null', 'null', 'dict_type'],
    ['the text {"name"', '{"name"', 'json_invalid'],
    ['an empty text', '', 'json_invalid'],
    ['a text of 9,008 characters', `{"a":"${'x'.repeat(9_000)}"}`, 'string_too_long'],
    ['a list', [], 'dict_type'],
    ['the number 7', 7, 'dict_type'],
  ])('returns 422 for %s as the user object', async (_, raw_user, type) => {
    const answer = await google.login({ code: 'x', nonce: 'y', raw_user }).expect(422);
    expect((answer.body as Refusal).detail).toMatchObject([{ type, loc: ['body', 'raw_user'] }]);
  });

  it.each(['code', 'redirect_uri', 'nonce', 'provider'])('returns 422 without a %s', async (field) => {
    const answer = await google.login({ code: 'x', nonce: 'y'.repeat(16), [field]: undefined }).expect(422);
    expect(answer.body).toMatchObject({ detail: [{ type: 'missing', loc: ['body', field] }] });
  });

  it('shows nothing of what was sent in the answer and in the log', async () => {
    const { subject } = await google.addPerson();
    const body = await google.readyLogin(subject);
    const { refresh_token } = (await google.login(body).expect(200)).body as { refresh_token: string };
    const cause = await google.failedLogin(body);
    expect(cause).toContain('login by google failed: the start is unknown, used or expired');
    const code = randomBytes(2_500).toString('hex');
    const code_verifier = `v-${randomBytes(6).toString('hex')}`;
    const answer = await google.login({ ...body, code, code_verifier }).expect(422);
    const said = (await logText()) + answer.text;
    const { code: usedCode = '', nonce = '', state = '' } = body;
    const sent = [usedCode, nonce, body['code_verifier'] ?? '', state, code_verifier, code.slice(0, 50)];
    const secrets = [...sent, refresh_token, service.oauth.google.clientSecret];
    for (const secret of secrets) expect(secret).not.toBe('');
    expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
  });

  it('succeeds once of 20 parallel logins with one code', async () => {
    const { subject } = await google.addPerson();
    const body = await google.readyLogin(subject);
    const answers = await Promise.all(Array.from({ length: 20 }, () => google.login(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(401)]);
  });
});

describe('a login with a nonce of the client', () => {
  const ownNonce = () => `my-own-${randomBytes(16).toString('hex')}`;

  it('succeeds once, without state and code_verifier', async () => {
    const { subject, email } = await apple.addPerson();
    const nonce = ownNonce();
    const ready = async () => {
      const url = new URL((await apple.start()).authorization_url);
      for (const name of ['code_challenge', 'code_challenge_method']) url.searchParams.delete(name);
      url.searchParams.set('nonce', nonce);
      const { parameters } = await apple.browse(url.toString(), subject);
      return { code: parameters['code'], nonce };
    };
    const first = await ready();
    await apple.login(first).expect(200);
    expect(await apple.failedLogin(first)).toContain(
      'login by apple failed: token endpoint: answered 400 invalid_grant',
    );
    expect(await apple.failedLogin(await ready())).toContain('login by apple failed: the nonce was used before');
    expect(await verifiedAccounts(email)).toHaveLength(1);
  });

  it('succeeds with the verifier of a challenge of the client', async () => {
    const { subject } = await google.addPerson();
    const nonce = ownNonce();
    const url = new URL((await google.start()).authorization_url);
    const code_verifier = randomBytes(48).toString('base64url');
    url.searchParams.set('nonce', nonce);
    url.searchParams.set('code_challenge', sha256(code_verifier).digest('base64url'));
    const { parameters } = await google.browse(url.toString(), subject);
    await google.login({ code: parameters['code'], nonce, code_verifier }).expect(200);
  });
});
