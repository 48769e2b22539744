import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request as httpRequest } from 'node:http';
import { decodeJwt } from 'jose';
import { Strategy } from 'passport-jwt';
import type { Response } from 'supertest';
import { CONFIG, RATE_LIMIT_POLICY_NAMES, RUNTIME_SECRETS } from '../../../src/config/index.js';
import { KeyAuthenticator } from '../../../src/modules/entitlement/api-keys/index.js';
import { AccessTokenService } from '../../../src/modules/identity/sessions/index.js';
import { generateKey } from '../../../src/platform/crypto/index.js';
import { type Actor, type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import { createTestApp, type TestApp } from '../../support/app.js';

const ID = '0199f3a1-0000-7000-8000-000000000001';
const EXCEEDED = { detail: 'Rate limit exceeded' };

interface Row {
  readonly name: string;
  readonly windowSeconds: number;
  readonly ip: number;
  readonly credential: number | null;
  /** `METHOD path`; they share the policy's buckets. */
  readonly requests: readonly string[];
}

const row = (
  name: string,
  windowSeconds: number,
  ip: number,
  credential: number | null,
  ...requests: string[]
): Row => ({ name, windowSeconds, ip, credential, requests });

const ROWS: readonly Row[] = [
  row('auth-login', 300, 20, null, 'POST /v1/auth/login'),
  row('auth-register', 900, 15, null, 'POST /v1/auth/register'),
  row('organization-invite-create', 300, 20, 10, `POST /v1/organizations/${ID}/invites`),
  row(
    'organization-invite-owner-action',
    300,
    20,
    10,
    `POST /v1/organizations/invites/${ID}/resend`,
    `POST /v1/organizations/invites/${ID}/revoke`,
  ),
  row('events', 60, 30, 60, 'GET /v1/events', 'POST /v1/events', 'POST /v1/events/ingest', 'HEAD /v1/events/counts'),
  row('project-events-explorer', 60, 10, 30, `GET /v1/projects/${ID}/events`),
  row('project-dashboard', 60, 10, 30, `GET /v1/projects/${ID}/dashboard`),
  row('api-keys-machine-auth', 60, 20, 60, 'GET /v1/api-keys/me', 'HEAD /v1/api-keys/me'),
  row('api-keys-mutate', 60, 10, 20, 'POST /v1/api-keys', `POST /v1/api-keys/${ID}/revoke`),
  row('billing-status', 60, 20, 60, 'GET /v1/billing/status'),
  row('billing-admin', 300, 20, 10, `PATCH /v1/billing/org/${ID}`),
  row('billing-self-serve', 60, 20, 30, 'POST /v1/billing/checkout-session', 'POST /v1/billing/portal'),
  row('search', 60, 10, 30, 'GET /v1/search?q=a'),
  row('analytics', 60, 10, 20, 'GET /v1/analytics/overview', 'GET /v1/analytics/funnel'),
  row('eql', 60, 10, 20, 'GET /v1/eql', 'POST /v1/eql'),
  row('logs', 60, 10, 20, 'GET /v1/logs', 'GET /v1/logs/stream'),
  row('performance', 60, 10, 20, 'GET /v1/performance/summary', 'GET /v1/performance/slowest'),
  row('usage', 60, 10, 20, 'GET /v1/usage', 'GET /v1/usage/current', 'HEAD /v1/usage'),
];
const WITH_CREDENTIAL = ROWS.filter((one): one is Row & { credential: number } => one.credential !== null);

const UNLIMITED = [
  'GET /health',
  'GET /ready',
  'GET /openapi.json',
  'GET /v1/auth/me',
  'GET /v1/auth/login',
  'POST /v1/auth/refresh',
  'GET /v1/api-keys',
  'GET /v1/organizations',
  `GET /v1/organizations/${ID}/invites`,
  `POST /v1/organizations/invites/${ID}/accept`,
  `GET /v1/projects/${ID}/usage/daily`,
  'POST /v1/billing/account/checkout-session',
  'POST /v1/billing/account/checkout-session/sync',
  'POST /v1/stripe/webhook',
  'DELETE /v1/events',
];

function limitsOf({ headers }: Response): (string | undefined)[] {
  return ['policy', 'limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);
}

let addresses = 0;
/** Nobody has called from it yet. */
const newAddress = (): string => `203.0.${Math.floor((addresses += 1) / 250)}.${addresses % 250}`;

/** Sends the requests of a policy in turn, from one address behind the trusted proxy. */
function sender(app: TestApp, requests: readonly string[], address: string, headers: Record<string, string> = {}) {
  let sent = 0;
  return async (): Promise<Response> => {
    const [method = '', path = ''] = (requests[sent++ % requests.length] ?? '').split(' ');
    const verb = method.toLowerCase() as 'get' | 'post' | 'patch' | 'head' | 'delete';
    return app
      .request()
      [verb](path)
      .set({ 'X-Forwarded-For': address, ...headers });
  };
}

function inTurn(senders: (() => Promise<Response>)[]): () => Promise<Response> {
  let turn = 0;
  return async () => {
    const send = senders[turn++ % senders.length];
    if (send === undefined) throw new Error('no senders');
    return send();
  };
}

/** Of a POST to the path exactly as it is written. */
function statusOfRaw(app: TestApp, path: string, address: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-Forwarded-For': address };
    httpRequest(app.url, { method: 'POST', path, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

describe('the rate limits of a deployment', () => {
  let app: TestApp;
  let owner: Owner;
  let person: Actor;
  let limitedKey: string;

  beforeAll(async () => {
    app = await createTestApp({ withRateLimits: true, env: { TRUST_PROXY: '1' } });
    owner = await ownerWithProject(app);
    person = await signedIn(app);
    limitedKey = (await newKey()).key;
  });
  afterAll(() => app.close());

  async function newKey(): Promise<{ id: string; key: string }> {
    const { body } = await app
      .request()
      .post('/v1/api-keys')
      .set('Authorization', owner.bearer)
      .send({ project_id: owner.projectId, name: 'Limited', scopes: ['events:read', 'events:write'] })
      .expect(201);
    return body as { id: string; key: string };
  }

  async function expectLimit(policy: Row, limit: number, send: () => Promise<Response>): Promise<void> {
    const resets = new Set<string | undefined>();
    for (let one = 1; one <= limit; one += 1) {
      const answer = await send();
      expect(answer.status).not.toBe(429);
      const [name, max, remaining, reset] = limitsOf(answer);
      expect([name, max, remaining]).toEqual([policy.name, String(limit), String(limit - one)]);
      expect(answer.headers).not.toHaveProperty('retry-after');
      resets.add(reset);
    }
    const before = Date.now() / 1000;
    const refused = await send();
    const after = Date.now() / 1000;
    expect([refused.status, limitsOf(refused).slice(0, 3)]).toEqual([429, [policy.name, String(limit), '0']]);
    // A HEAD has the length of the answer that it leaves out.
    expect(refused.headers['content-length']).toBe(String(JSON.stringify(EXCEEDED).length));
    if (refused.text) expect(refused.body).toEqual(EXCEEDED);
    resets.add(limitsOf(refused)[3]);
    // The moment at which the first of them leaves the window: the same for all.
    expect(resets.size).toBe(1);
    const reset = Number([...resets][0]);
    const inSeconds = reset - Date.now() / 1000;
    expect(inSeconds).toBeGreaterThan(policy.windowSeconds - 25);
    expect(inSeconds).toBeLessThanOrEqual(policy.windowSeconds + 1);
    const retryAfter = refused.headers['retry-after'] as string;
    expect(retryAfter).toMatch(/^[1-9]\d*$/);
    // In whole seconds from when it was refused.
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(reset - after - 1);
    expect(Number(retryAfter)).toBeLessThanOrEqual(reset - before + 1);
  }

  it.each(ROWS)('$name: $ip requests of an address, whatever their answers', async (policy) => {
    const address = newAddress();
    await expectLimit(policy, policy.ip, sender(app, policy.requests, address));
    const elsewhere = await sender(app, policy.requests, newAddress())();
    expect([elsewhere.status === 429, limitsOf(elsewhere)[2]]).toEqual([false, String(policy.ip - 1)]);
    // What only looks like a credential is counted with the address.
    const [head, last] = [owner.apiKey.slice(0, -1), owner.apiKey.slice(-1)];
    for (const [name, value] of [
      ['Authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'],
      ['X-API-Key', 'oes_abcdefgh_not-a-key'],
      ['X-API-Key', head + (last === 'a' ? 'b' : 'a')],
    ] as const)
      expect((await sender(app, policy.requests, address, { [name]: value })()).status).toBe(429);
  });

  it.each(WITH_CREDENTIAL)('$name: $credential requests of a person, from anywhere', async (policy) => {
    const { bearer } = person;
    const [home, away] = [newAddress(), newAddress()];
    const places = [home, away].map((address) => sender(app, policy.requests, address, { Authorization: bearer }));
    await expectLimit(policy, policy.credential, inTurn(places));
    // Neither address has been counted, other credentials have not, and a key beside the token changes nothing.
    expect(limitsOf(await sender(app, policy.requests, home)())[2]).toBe(String(policy.ip - 1));
    const key = { 'X-API-Key': owner.apiKey };
    expect((await sender(app, policy.requests, away, key)()).status).not.toBe(429);
    expect((await sender(app, policy.requests, away, { Authorization: bearer, ...key })()).status).toBe(429);
  });

  it.each(WITH_CREDENTIAL)('$name: $credential requests of a key, from anywhere', async (policy) => {
    const headers = { 'X-API-Key': limitedKey };
    const places = [newAddress(), newAddress()].map((address) => sender(app, policy.requests, address, headers));
    await expectLimit(policy, policy.credential, inTurn(places));
    // A token that is none leaves the key its bucket.
    const both = sender(app, policy.requests, newAddress(), { ...headers, Authorization: 'Bearer nobody' });
    expect((await both()).status).toBe(429);
  });

  it('counts a revoked key for itself still, and one that never was for its address', async () => {
    const { id, key: revoked } = await newKey();
    await app.request().post(`/v1/api-keys/${id}/revoke`).set('Authorization', owner.bearer).expect(200);
    const address = newAddress();
    const send = (key: string) => sender(app, ['GET /v1/usage/current'], address, { 'X-API-Key': key })();
    expect(limitsOf(await send(revoked)).slice(0, 3)).toEqual(['usage', '20', '19']);
    expect(limitsOf(await send(generateKey('oes').key)).slice(0, 3)).toEqual(['usage', '10', '9']);
  });

  it('counts an expired token for its person still, which opens nothing', async () => {
    const { id: userId, bearer } = await signedIn(app);
    const longAgo = { now: () => new Date(Date.now() - 24 * 3_600_000) };
    const { nest } = app;
    const then = new AccessTokenService(nest.get(CONFIG), nest.get(RUNTIME_SECRETS), longAgo);
    // Of a session that lives: nothing but its age keeps it out.
    const old = await then.sign({ userId, sessionId: String(decodeJwt(bearer.slice('Bearer '.length)).sid) });
    const send = (token: string) =>
      sender(app, ['GET /v1/usage/current'], newAddress(), { Authorization: `Bearer ${token}` })();
    const answer = await send(old);
    expect([answer.status, limitsOf(answer).slice(0, 3)]).toEqual([401, ['usage', '20', '19']]);
    expect(limitsOf(await send(bearer.slice('Bearer '.length)))[2]).toBe('18');
    const forged = await send(`${old.slice(0, -4)}AAAA`);
    expect([forged.status, limitsOf(forged).slice(0, 3)]).toEqual([401, ['usage', '10', '9']]);
  });

  it('looks at a credential at most once a request, whoever asks for it: the limit, the guard, CORS and metering', async () => {
    const { key } = await newKey();
    const { bearer } = await signedIn(app);
    const looks = { token: 0, key: 0 };
    const verifier = Strategy as unknown as { JwtVerifier: (...words: unknown[]) => unknown };
    const keys = KeyAuthenticator.prototype as unknown as { identify: (given: string) => unknown };
    const { JwtVerifier: verify } = verifier;
    const { identify } = keys;
    verifier.JwtVerifier = (...words) => {
      looks.token += 1;
      return verify(...words);
    };
    keys.identify = function (given) {
      looks.key += 1;
      return identify.call(this, given);
    };
    try {
      const send = (request: string, headers: Record<string, string>) =>
        sender(app, [request], newAddress(), headers)();
      const forged = `${bearer.slice(0, -4)}AAAA`;
      // The signature that was good once is known from then on.
      const asked: [string, Record<string, string>, number, number, number][] = [
        ['GET /v1/logs', { Authorization: bearer }, 422, 1, 0],
        ['GET /v1/logs', { Authorization: forged }, 401, 1, 0],
        ['GET /v1/logs', { Authorization: forged }, 401, 1, 0],
        ['GET /v1/auth/me', { Authorization: bearer }, 200, 0, 0],
        ['GET /v1/auth/me', { Authorization: bearer, 'X-API-Key': key }, 200, 0, 1],
        ['GET /v1/api-keys/me', { 'X-API-Key': key }, 200, 0, 1],
        ['POST /v1/events/ingest', { 'X-API-Key': key, Origin: 'https://page.example' }, 422, 0, 1],
        ['GET /v1/auth/jwks', { Authorization: bearer }, 200, 0, 0],
      ];
      for (const [request, headers, status, token, ofKey] of asked) {
        Object.assign(looks, { token: 0, key: 0 });
        const answer = await send(request, headers);
        await app.backgroundDone();
        expect([request, answer.status, looks]).toEqual([request, status, { token, key: ofKey }]);
      }
    } finally {
      verifier.JwtVerifier = verify;
      keys.identify = identify;
    }
  });

  it('leaves every other route alone, however often it is asked', async () => {
    const address = newAddress();
    for (const request of UNLIMITED) {
      const send = sender(app, [request], address);
      const answers = await Promise.all(Array.from({ length: 35 }, () => send()));
      for (const answer of answers)
        expect([request, answer.status === 429, limitsOf(answer)]).toEqual([request, false, Array(4).fill(undefined)]);
    }
  });

  it('sees a path as the router does: another spelling of a limited one leads nowhere', async () => {
    const address = newAddress();
    for (const path of [
      '/v1/auth/log%69n',
      '/v1/Auth/login',
      '//v1/auth/login',
      '/v1//auth/login',
      '/v1/auth/./login',
    ]) {
      expect([path, await statusOfRaw(app, path, address)]).toEqual([path, 404]);
    }
    expect(await statusOfRaw(app, 'http://elsewhere.example/v1/auth/login', address)).not.toBe(404);
    expect(limitsOf(await sender(app, ['POST /v1/auth/login'], address)())[2]).toBe('18');
  });

  it('counts refusals by policy, and names it in the line of the request', async () => {
    const refusals = app.logLines.map((line) => JSON.parse(line) as { status?: number; rate_limit_policy?: string });
    expect(new Set(refusals.filter(({ status }) => status === 429).map((one) => one.rate_limit_policy))).toEqual(
      new Set(RATE_LIMIT_POLICY_NAMES),
    );
    const text = await app.metrics();
    expect(text).toMatch(/^rate_limit_refusals_total\{policy="usage"\} [1-9]/m);
  });
});

it('takes an override of every policy', async () => {
  const overrides = RATE_LIMIT_POLICY_NAMES.map((name, index) => `${name}=${index + 3}/${index + 30}`).join(',');
  const app = await createTestApp({
    withRateLimits: true,
    env: { RATE_LIMIT_OVERRIDES: overrides, AUTH_LOGIN_RATE_LIMIT_IP: '900', TRUST_PROXY: '1' },
  });
  try {
    const { bearer } = await signedIn(app);
    for (const [index, policy] of ROWS.entries()) {
      const limitOf = async (headers: Record<string, string>) =>
        limitsOf(await sender(app, policy.requests, newAddress(), headers)()).slice(0, 2);
      expect(await limitOf({})).toEqual([policy.name, String(index + 3)]);
      const forPerson = policy.credential === null ? index + 3 : index + 30;
      expect(await limitOf({ Authorization: bearer })).toEqual([policy.name, String(forPerson)]);
    }
  } finally {
    await app.close();
  }
});
