import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request as httpRequest } from 'node:http';
import { decodeJwt } from 'jose';
import { Strategy } from 'passport-jwt';
import { CONFIG, RATE_LIMIT_POLICY_NAMES, RUNTIME_SECRETS } from '../../../src/config/index.js';
import { KeyAuthenticator } from '../../../src/modules/entitlement/api-keys/index.js';
import { AccessTokenService } from '../../../src/modules/identity/sessions/index.js';
import { generateKey } from '../../../src/platform/crypto/index.js';
import { type Actor, type Owner, ownerWithProject, signedIn } from '../../support/actors.js';
import { createApiApp, type TestApp } from '../../support/app.js';
import { expectLimit, inSequence, limitsOf, POLICIES, POLICIES_OF_HOLDERS } from '../../support/rate-limit-policies.js';
import { app } from './deployment.js';

let addresses = 0;
/** An address that has sent no request yet. */
const newAddress = (): string => `203.0.${Math.floor((addresses += 1) / 250)}.${addresses % 250}`;

/** Sends the requests of a policy in turn, from one address behind the trusted proxy. */
function sender(app: TestApp, requests: readonly string[], address: string, headers: Record<string, string> = {}) {
  return inSequence(requests, async (verb, path) =>
    app
      .request()
      [verb](path)
      .set({ 'X-Forwarded-For': address, ...headers }),
  );
}

/** The status of a POST to the path exactly as it is written. */
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

describe('the rate limit of a deployment', () => {
  let owner: Owner;
  let person: Actor;
  let limitedKey: string;

  beforeAll(async () => {
    owner = await ownerWithProject(app);
    person = await signedIn(app);
    limitedKey = (await newKey()).key;
  });

  async function newKey(): Promise<{ id: string; key: string }> {
    const { body } = await app
      .request()
      .post('/v1/api-keys')
      .set('Authorization', owner.bearer)
      .send({ project_id: owner.projectId, name: 'Limited', scopes: ['events:read', 'events:write'] })
      .expect(201);
    return body as { id: string; key: string };
  }

  // The tests of overrides lower the larger limits to reach them.
  const reached = POLICIES.filter(({ ip }) => ip <= 20);
  it.each(reached)('allows $ip requests of an address for $name, whatever their answers', async (policy) => {
    const address = newAddress();
    await expectLimit(policy, policy.ip, sender(app, policy.requests, address));
    const elsewhere = await sender(app, policy.requests, newAddress())();
    expect([elsewhere.status === 429, limitsOf(elsewhere)[2]]).toEqual([false, String(policy.ip - 1)]);
    // A text that only looks like a credential counts for the address.
    const [head, last] = [owner.apiKey.slice(0, -1), owner.apiKey.slice(-1)];
    for (const [name, value] of [
      ['Authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.'],
      ['X-API-Key', 'oes_abcdefgh_not-a-key'],
      ['X-API-Key', head + (last === 'a' ? 'b' : 'a')],
    ] as const)
      expect((await sender(app, policy.requests, address, { [name]: value })()).status).toBe(429);
  });

  it.each(POLICIES.filter((policy) => !reached.includes(policy)))(
    'counts requests of an address for $name towards its limit of $ip',
    async (policy) => {
      const send = sender(app, policy.requests, newAddress());
      for (const remaining of [policy.ip - 1, policy.ip - 2])
        expect(limitsOf(await send()).slice(0, 3)).toEqual([policy.name, String(policy.ip), String(remaining)]);
    },
  );

  it.each(POLICIES_OF_HOLDERS)(
    'counts $name of a person in one bucket from any address, and for no address',
    async (policy) => {
      const { bearer } = person;
      const [home, away] = [newAddress(), newAddress()];
      const remaining = async (address: string, headers: Record<string, string>) =>
        limitsOf(await sender(app, policy.requests, address, headers)())[2];
      expect(await remaining(home, { Authorization: bearer })).toBe(String(policy.credential - 1));
      expect(await remaining(away, { Authorization: bearer })).toBe(String(policy.credential - 2));
      expect(await remaining(home, {})).toBe(String(policy.ip - 1));
      // The key of somebody else has its own bucket, and changes nothing next to a token.
      const key = { 'X-API-Key': owner.apiKey };
      expect(await remaining(away, key)).toBe(String(policy.credential - 1));
      expect(await remaining(away, { Authorization: bearer, ...key })).toBe(String(policy.credential - 3));
    },
  );

  it.each(POLICIES_OF_HOLDERS)('counts $name of a key in one bucket from any address', async (policy) => {
    const headers = { 'X-API-Key': limitedKey };
    const remaining = async (more: Record<string, string> = {}) =>
      limitsOf(await sender(app, policy.requests, newAddress(), { ...headers, ...more })())[2];
    expect(await remaining()).toBe(String(policy.credential - 1));
    expect(await remaining()).toBe(String(policy.credential - 2));
    expect(await remaining({ Authorization: 'Bearer nobody' })).toBe(String(policy.credential - 3));
  });

  it('counts a key that never existed for its address', async () => {
    const headers = { 'X-API-Key': generateKey('oes').key };
    const answer = await sender(app, ['GET /v1/usage/current'], newAddress(), headers)();
    expect(limitsOf(answer).slice(0, 3)).toEqual(['usage', '10', '9']);
  });

  it('counts an expired token for its person, although it is refused', async () => {
    const { id: userId, bearer } = await signedIn(app);
    const longAgo = { now: () => new Date(Date.now() - 24 * 3_600_000) };
    const { nest } = app;
    const then = new AccessTokenService(nest.get(CONFIG), nest.get(RUNTIME_SECRETS), longAgo);
    // The session has not ended, so nothing but the age of the token is wrong.
    const old = await then.sign({ userId, sessionId: String(decodeJwt(bearer.slice('Bearer '.length)).sid) });
    const send = (token: string) =>
      sender(app, ['GET /v1/usage/current'], newAddress(), { Authorization: `Bearer ${token}` })();
    const answer = await send(old);
    expect([answer.status, limitsOf(answer).slice(0, 3)]).toEqual([401, ['usage', '20', '19']]);
    expect(limitsOf(await send(bearer.slice('Bearer '.length)))[2]).toBe('18');
    const forged = await send(`${old.slice(0, -4)}AAAA`);
    expect([forged.status, limitsOf(forged).slice(0, 3)]).toEqual([401, ['usage', '10', '9']]);
  });

  it('verifies a credential at most once a request, together with the guard, CORS and metering', async () => {
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
      // A signature that was valid once is cached.
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

  it('cannot be avoided by another spelling of a path, which is not found', async () => {
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
});

describe('an override of rate limits', () => {
  /** Small limits that differ from policy to policy. */
  const OVERRIDDEN = POLICIES.map((policy, index) => ({
    ...policy,
    ip: 2 + (index % 3),
    credential: policy.credential === null ? null : 6 + (index % 3),
  }));
  let app: TestApp;
  let owner: Owner;
  /** The owner has made a request for a key already. */
  let person: Actor;

  beforeAll(async () => {
    const overrides = OVERRIDDEN.map(({ name, ip, credential }) => `${name}=${ip}/${credential ?? 9}`).join(',');
    app = await createApiApp({
      withRateLimits: true,
      env: { RATE_LIMIT_OVERRIDES: overrides, AUTH_LOGIN_RATE_LIMIT_IP: '900', TRUST_PROXY: '1' },
    });
    owner = await ownerWithProject(app);
    person = await signedIn(app);
  });
  afterAll(() => app.close());

  it('names every policy', () => {
    expect(OVERRIDDEN.map(({ name }) => name).sort()).toEqual([...RATE_LIMIT_POLICY_NAMES].sort());
  });

  it.each(OVERRIDDEN)(
    'sets both limits of $name, which is named in the log and counted when it refuses',
    async (policy) => {
      const { name, ip, credential, requests } = policy;
      await expectLimit(policy, ip, sender(app, requests, newAddress()));
      for (const [header, value] of [
        ['Authorization', person.bearer],
        ['X-API-Key', owner.apiKey],
      ] as const)
        await expectLimit(policy, credential ?? ip, sender(app, requests, newAddress(), { [header]: value }));
      const lines = app.logLines.map((line) => JSON.parse(line) as { status?: number; rate_limit_policy?: string });
      const refused = lines.filter(({ status, rate_limit_policy }) => status === 429 && rate_limit_policy === name);
      expect(refused).toHaveLength(3);
      expect(await app.metrics()).toMatch(new RegExp(`^oes_rate_limit_refusals_total\\{policy="${name}"\\} 3$`, 'm'));
    },
  );
});
