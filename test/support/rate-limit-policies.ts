import { expect } from '@jest/globals';
import type { Response } from 'supertest';

const ID = '0199f3a1-0000-7000-8000-000000000001';
const EXCEEDED = { detail: 'Rate limit exceeded' };
/** The refusal in the form of SCIM. */
const EXCEEDED_IN_SCIM = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: '429',
  detail: 'Rate limit exceeded',
};

export type Verb = 'get' | 'head' | 'post' | 'patch' | 'delete';

/** The default limits of a deployment. */
export interface LimitedRequests {
  readonly name: string;
  readonly windowSeconds: number;
  readonly ip: number;
  readonly credential: number | null;
  /** Requests as `METHOD path`. All of them count in the same buckets. */
  readonly requests: readonly string[];
}

const policy = (
  name: string,
  windowSeconds: number,
  ip: number,
  credential: number | null,
  ...requests: string[]
): LimitedRequests => ({ name, windowSeconds, ip, credential, requests });

export const POLICIES: readonly LimitedRequests[] = [
  policy('auth-login', 300, 20, null, 'POST /v1/auth/login'),
  policy('auth-register', 900, 15, null, 'POST /v1/auth/register'),
  policy('organization-invite-create', 300, 20, 10, `POST /v1/organizations/${ID}/invites`),
  policy(
    'organization-invite-owner-action',
    300,
    20,
    10,
    `POST /v1/organizations/invites/${ID}/resend`,
    `POST /v1/organizations/invites/${ID}/revoke`,
  ),
  policy('events', 60, 30, 60, 'GET /v1/events', 'POST /v1/events', 'POST /v1/events/ingest', 'HEAD /v1/events/counts'),
  policy('intake', 60, 120, 600, 'POST /intake/json', 'POST /intake/otlp/v1/logs'),
  policy('project-events-explorer', 60, 10, 30, `GET /v1/projects/${ID}/events`),
  policy('project-dashboard', 60, 10, 30, `GET /v1/projects/${ID}/dashboard`),
  policy('api-keys-machine-auth', 60, 20, 60, 'GET /v1/api-keys/me', 'HEAD /v1/api-keys/me'),
  policy('api-keys-mutate', 60, 10, 20, 'POST /v1/api-keys', `POST /v1/api-keys/${ID}/revoke`),
  policy('billing-status', 60, 20, 60, 'GET /v1/billing/status'),
  policy('billing-admin', 300, 20, 10, `PATCH /v1/billing/org/${ID}`),
  policy('billing-self-serve', 60, 20, 30, 'POST /v1/billing/checkout-session', 'POST /v1/billing/portal'),
  policy('search', 60, 10, 30, 'GET /v1/search?q=a'),
  policy('analytics', 60, 10, 20, 'GET /v1/analytics/overview', 'GET /v1/analytics/funnel'),
  policy('eql', 60, 10, 20, 'GET /v1/eql', 'POST /v1/eql'),
  policy('logs', 60, 10, 20, 'GET /v1/logs', 'GET /v1/logs/stream'),
  policy('performance', 60, 10, 20, 'GET /v1/performance/summary', 'GET /v1/performance/slowest'),
  policy('usage', 60, 10, 20, 'GET /v1/usage', 'GET /v1/usage/current', 'HEAD /v1/usage'),
  policy('sso-logout', 60, 600, null, 'POST /sso/oidc/acme/backchannel-logout'),
  policy('sso', 60, 240, 60, 'GET /sso/providers'),
  policy('scim', 60, 600, 2_400, 'GET /scim/v2/Users', 'DELETE /scim/v2/Users/1'),
];
/** The policies that count requests with a credential for its holder. */
export const POLICIES_OF_HOLDERS = POLICIES.filter(
  (one): one is LimitedRequests & { credential: number } => one.credential !== null,
);

export const UNLIMITED_REQUESTS = [
  'GET /health',
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

/** Returns policy, limit, remaining requests and reset from the headers of an answer. */
export function limitsOf({ headers }: Response): (string | undefined)[] {
  return ['policy', 'limit', 'remaining', 'reset'].map((name) => headers[`x-ratelimit-${name}`]);
}

/** Returns a function that sends the requests of a policy one after another. */
export function inSequence(
  requests: readonly string[],
  send: (verb: Verb, path: string) => Promise<Response>,
): () => Promise<Response> {
  let sent = 0;
  return () => {
    const [method = '', path = ''] = (requests[sent++ % requests.length] ?? '').split(' ');
    return send(method.toLowerCase() as Verb, path);
  };
}

/** Sends requests until a limit refuses one, and checks what every answer says about the limit. */
export async function expectLimit(
  { name, windowSeconds }: LimitedRequests,
  limit: number,
  send: () => Promise<Response>,
): Promise<void> {
  const resets = new Set<string | undefined>();
  const began = Date.now() / 1000;
  let firstAnswered: number | undefined;
  for (let one = 1; one <= limit; one += 1) {
    const answer = await send();
    firstAnswered ??= Date.now() / 1000;
    expect(answer.status).not.toBe(429);
    const [policyName, max, remaining, reset] = limitsOf(answer);
    expect([policyName, max, remaining]).toEqual([name, String(limit), String(limit - one)]);
    expect(answer.headers).not.toHaveProperty('retry-after');
    resets.add(reset);
  }
  const before = Date.now() / 1000;
  const refused = await send();
  const after = Date.now() / 1000;
  expect([refused.status, limitsOf(refused).slice(0, 3)]).toEqual([429, [name, String(limit), '0']]);
  // The length is the same in an answer to HEAD, which has no body.
  const exceeded = name === 'scim' ? EXCEEDED_IN_SCIM : EXCEEDED;
  expect(refused.headers['content-length']).toBe(String(JSON.stringify(exceeded).length));
  if (refused.text) expect(refused.body).toEqual(exceeded);
  resets.add(limitsOf(refused)[3]);
  // All answers name the moment at which the first request leaves the window.
  expect(resets.size).toBe(1);
  const reset = Number([...resets][0]);
  expect(reset).toBeGreaterThanOrEqual(began + windowSeconds - 1);
  expect(reset).toBeLessThanOrEqual((firstAnswered ?? began) + windowSeconds + 1);
  const retryAfter = refused.headers['retry-after'] as string;
  expect(retryAfter).toMatch(/^[1-9]\d*$/);
  // Retry-After counts whole seconds from the moment of the refusal.
  expect(Number(retryAfter)).toBeGreaterThanOrEqual(reset - after - 1);
  expect(Number(retryAfter)).toBeLessThanOrEqual(reset - before + 1);
}
