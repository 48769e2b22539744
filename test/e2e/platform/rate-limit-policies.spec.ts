import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { limitedAccount, limitedApi } from '../../support/limited-service.js';
import {
  expectLimit,
  inSequence,
  limitsOf,
  POLICIES_OF_HOLDERS,
  UNLIMITED_REQUESTS,
} from '../../support/rate-limit-policies.js';
import type { Account } from '../../support/service.js';

interface Key {
  readonly id: string;
  readonly key: string;
}

// All tests come from one address: its limits are in test/integration/rate-limits/policies.ts.
describe('the rate limit of a deployment', () => {
  let owner: Account;
  let person: Account;
  let projectId: string;
  let ownKey: Key;
  let limitedKey: Key;

  beforeAll(async () => {
    [owner, person] = [await limitedAccount(), await limitedAccount()];
    const slug = randomBytes(6).toString('hex');
    const organization = await created('/v1/organizations', { name: 'Acme', slug });
    projectId = (await created('/v1/projects', { organization_id: organization.id, name: 'Web shop', slug })).id;
    [ownKey, limitedKey] = [await newKey(), await newKey()];
  });

  const created = async (path: string, body: object): Promise<Key> =>
    (await limitedApi.as(owner).post(path, body).expect(201)).body as Key;
  const newKey = () =>
    created('/v1/api-keys', { project_id: projectId, name: 'Limited', scopes: ['events:read', 'events:write'] });
  /** Sends requests in turn with credentials. */
  const sender = (requests: readonly string[], headers: Record<string, string>) =>
    inSequence(requests, async (verb, path) => limitedApi[verb](path).set(headers));

  // The suite of the limits of addresses shows the limit of every policy, and lowers the larger limits to reach them.
  const reached = POLICIES_OF_HOLDERS.filter(({ credential }) => credential <= 20);

  it.each(reached)('allows $credential requests of a person for $name', async (policy) => {
    const token = { Authorization: `Bearer ${person.accessToken}` };
    await expectLimit(policy, policy.credential, sender(policy.requests, token));
    const key = { 'X-API-Key': ownKey.key };
    expect((await sender(policy.requests, key)()).status).not.toBe(429);
    // A key next to the token changes nothing.
    expect((await sender(policy.requests, { ...token, ...key })()).status).toBe(429);
  });

  it.each(reached)('allows $credential requests of a key for $name', async (policy) => {
    const key = { 'X-API-Key': limitedKey.key };
    await expectLimit(policy, policy.credential, sender(policy.requests, key));
    // An invalid token next to the key changes nothing.
    expect((await sender(policy.requests, { ...key, Authorization: 'Bearer nobody' })()).status).toBe(429);
  });

  it('counts the requests of a revoked key for the key', async () => {
    const { id, key } = await newKey();
    await limitedApi.as(owner).post(`/v1/api-keys/${id}/revoke`).expect(200);
    const answer = await sender(['GET /v1/usage/current'], { 'X-API-Key': key })();
    expect(limitsOf(answer).slice(0, 3)).toEqual(['usage', '20', '19']);
  });

  it.each(UNLIMITED_REQUESTS)('does not apply to %s, however often it is sent', async (request) => {
    const send = sender([request], {});
    // The smallest limit of an address is 10.
    const answers = await Promise.all(Array.from({ length: 11 }, () => send()));
    for (const answer of answers)
      expect([answer.status === 429, limitsOf(answer)]).toEqual([false, Array(4).fill(undefined)]);
  });
});
