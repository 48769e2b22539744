import { describe, expect, it } from '@jest/globals';
import { addressBucket } from './address-bucket.js';
import { overridden, type RateLimitPolicy } from './policy.js';
import { PolicyFinder } from './policy-finder.js';

const events: RateLimitPolicy = {
  name: 'events',
  methods: ['GET', 'POST'],
  paths: ['/v1/events', '/v1/events/*'],
  windowSeconds: 60,
  ipLimit: 30,
  credentialLimit: 60,
};
const explorer: RateLimitPolicy = {
  name: 'project-events-explorer',
  methods: ['GET'],
  paths: ['/v1/projects/:project_id/events'],
  windowSeconds: 60,
  ipLimit: 10,
  credentialLimit: null,
};

const intake: RateLimitPolicy = { ...events, name: 'intake', methods: ['POST'], paths: ['/intake/*'] };

describe('the list of rate limit policies', () => {
  it.each([
    ['POST', '/intake/json', 'intake'],
    ['POST', '/intake/otlp/v1/logs', 'intake'],
    ['GET', '/intake/json', undefined],
    ['POST', '/intake', undefined],
    ['GET', '/v1/events', 'events'],
    ['POST', '/v1/events/ingest', 'events'],
    ['HEAD', '/v1/events/counts', 'events'],
    ['GET', '/v1/events/a/b%0Ac', 'events'],
    ['DELETE', '/v1/events', undefined],
    ['GET', '/v1/eventsx', undefined],
    ['GET', '/v1/EVENTS', undefined],
    ['GET', '/v1/event%73', undefined],
    ['GET', '/v1', undefined],
    ['GET', '/', undefined],
    ['GET', '/x/v1/events', undefined],
    ['GET', '/v1/projects/7/events', 'project-events-explorer'],
    ['GET', '/v1/projects//events', undefined],
    ['GET', '/v1/projects/7/events/', undefined],
    ['GET', '/v1/projects/7/events/more', undefined],
    ['GET', '/v1/projects/7/8/events', undefined],
    ['GET', '/health', undefined],
  ])('has for %s %s the policy %s', (method, path, name) => {
    expect(new PolicyFinder([events, explorer, intake]).find(method, path)?.name).toBe(name);
  });

  it('takes the limits of the configuration, and a credential limit only where a policy has one', () => {
    const changed = overridden([events, explorer], {
      events: { ip: 5, credential: undefined },
      'project-events-explorer': { ip: 6, credential: 7 },
    });
    expect(changed.map(({ ipLimit, credentialLimit }) => [ipLimit, credentialLimit])).toEqual([
      [5, 60],
      [6, null],
    ]);
  });
});

describe('the bucket of a client address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ])('is for the address %s: %s', (ip, bucket) => {
    expect(addressBucket(ip)).toBe(bucket);
  });
});
