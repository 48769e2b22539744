import { describe, expect, it } from '@jest/globals';
import { loadConfig, RATE_LIMIT_POLICY_NAMES } from './config/index.js';
import { PolicyFinder } from './platform/rate-limit/policy-finder.js';
import { rateLimitPolicies } from './rate-limits.js';

const ID = '0199f3a1-0000-7000-8000-000000000001';

describe('the table of rate limit policies', () => {
  const policies = rateLimitPolicies(loadConfig({}));
  const finder = new PolicyFinder(policies);

  it('has these policies, with their windows in seconds and their limits by address and credential', () => {
    expect(
      policies.map(({ name, windowSeconds, ipLimit, credentialLimit }) => [
        name,
        windowSeconds,
        ipLimit,
        credentialLimit,
      ]),
    ).toEqual([
      ['auth-login', 300, 20, null],
      ['auth-register', 900, 15, null],
      ['organization-invite-create', 300, 20, 10],
      ['organization-invite-owner-action', 300, 20, 10],
      ['events', 60, 30, 60],
      ['intake', 60, 120, 600],
      ['project-events-explorer', 60, 10, 30],
      ['project-dashboard', 60, 10, 30],
      ['api-keys-machine-auth', 60, 20, 60],
      ['api-keys-mutate', 60, 10, 20],
      ['billing-status', 60, 20, 60],
      ['billing-admin', 300, 20, 10],
      ['billing-self-serve', 60, 20, 30],
      ['search', 60, 10, 30],
      ['analytics', 60, 10, 20],
      ['eql', 60, 10, 20],
      ['logs', 60, 10, 20],
      ['performance', 60, 10, 20],
      ['usage', 60, 10, 20],
      ['sso-logout', 60, 600, null],
      ['sso', 60, 240, 60],
      ['scim', 60, 600, 2_400],
    ]);
    expect(policies.map(({ name }) => name)).toEqual(RATE_LIMIT_POLICY_NAMES);
  });

  it.each([
    ['auth-login', ['POST /v1/auth/login']],
    ['auth-register', ['POST /v1/auth/register']],
    ['organization-invite-create', [`POST /v1/organizations/${ID}/invites`]],
    [
      'organization-invite-owner-action',
      [`POST /v1/organizations/invites/${ID}/resend`, `POST /v1/organizations/invites/${ID}/revoke`],
    ],
    [
      'events',
      [
        'GET /v1/events',
        'HEAD /v1/events',
        'POST /v1/events',
        'POST /v1/events/ingest',
        'GET /v1/events/counts',
        'GET /v1/events/names',
        'GET /v1/events/stream',
      ],
    ],
    ['project-events-explorer', [`GET /v1/projects/${ID}/events`, `HEAD /v1/projects/${ID}/events`]],
    ['project-dashboard', [`GET /v1/projects/${ID}/dashboard`]],
    ['api-keys-machine-auth', ['GET /v1/api-keys/me', 'HEAD /v1/api-keys/me']],
    [
      'api-keys-mutate',
      ['POST /v1/api-keys', `POST /v1/api-keys/${ID}/revoke`, `POST /v1/api-keys/${ID}/rotate`, 'POST /v1/api-keys/me'],
    ],
    ['billing-status', ['GET /v1/billing/status']],
    ['billing-admin', [`PATCH /v1/billing/org/${ID}`, `PATCH /v1/billing/org/${ID}/plan`]],
    ['billing-self-serve', ['POST /v1/billing/checkout-session', 'POST /v1/billing/portal']],
    ['search', ['GET /v1/search']],
    ['analytics', ['GET /v1/analytics', 'GET /v1/analytics/overview', 'GET /v1/analytics/funnel']],
    ['eql', ['GET /v1/eql', 'POST /v1/eql']],
    ['logs', ['GET /v1/logs', 'GET /v1/logs/stream']],
    ['performance', ['GET /v1/performance/summary', 'GET /v1/performance/slowest']],
    ['usage', ['GET /v1/usage', 'GET /v1/usage/current']],
  ])('has the policy %s for %j', (name, requests) => {
    for (const request of requests) {
      const [method = '', path = ''] = request.split(' ');
      expect([request, finder.find(method, path)?.name]).toEqual([request, name]);
    }
  });

  it.each([
    'GET /health',
    'GET /v1/auth/login',
    'POST /v1/auth/login/more',
    'POST /v1/auth/refresh',
    'GET /v1/auth/me',
    `GET /v1/organizations/${ID}/invites`,
    `POST /v1/organizations/invites/${ID}/accept`,
    `POST /v1/organizations/invites/${ID}/decline`,
    `GET /v1/organizations/${ID}/invitation-audits`,
    'DELETE /v1/events',
    'OPTIONS /v1/events',
    `POST /v1/projects/${ID}/events`,
    `GET /v1/projects/${ID}/events/facets`,
    `GET /v1/projects/${ID}/events/${ID}`,
    `POST /v1/projects/${ID}/events/export`,
    `GET /v1/projects/${ID}/usage/daily`,
    'GET /v1/api-keys',
    `PATCH /v1/api-keys/${ID}`,
    `GET /v1/billing/org/${ID}`,
    'PATCH /v1/billing/org',
    'POST /v1/billing/account/checkout-session',
    'POST /v1/billing/account/checkout-session/sync',
    'POST /v1/stripe/webhook',
    'POST /v1/search',
    'GET /v1/searches',
    'POST /v1/analytics/overview',
    'POST /v1/logs',
    'POST /v1/performance/summary',
    'POST /v1/usage',
    'GET /v1/core/usage',
    'GET /v1/alerts/events',
  ])('has no policy for %s', (request) => {
    const [method = '', path = ''] = request.split(' ');
    expect(finder.find(method, path)).toBeNull();
  });
});
