import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { OutboundFailureReason, OutboundOutcome } from '../../../platform/outbound-http/index.js';
import { claimOwner } from './claim-owner.js';
import { retryAfterSeconds, retryDelaySeconds, RETRY_STRATEGIES, type RetryPolicy } from './retry-policy.js';
import { type SendingLane, Slots } from './slots.js';
import { outcomeOfHttp } from './try-outcome.js';

const POLICY: RetryPolicy = { strategy: 'exponential', baseDelaySeconds: 60, maxDelaySeconds: 900, maxRetries: 3 };
const policies = fc.record({
  strategy: fc.constantFrom(...RETRY_STRATEGIES),
  baseDelaySeconds: fc.integer({ min: 1, max: 86_400 }),
  maxDelaySeconds: fc.integer({ min: 1, max: 604_800 }),
  maxRetries: fc.integer({ min: 0, max: 100 }),
});

describe('the wait before a retry', () => {
  it.each([
    ['fixed', [60, 60, 60, 60]],
    ['linear', [60, 120, 180, 240]],
    ['exponential', [60, 120, 240, 480]],
  ] as const)('is, with the strategy %s and a base of 60 seconds, %j before retries 1 to 4', (strategy, waits) => {
    expect([1, 2, 3, 4].map((n) => retryDelaySeconds({ ...POLICY, strategy }, n, 0))).toEqual(waits);
  });

  it('ends at the maximum, also for the hundredth retry and with jitter', () => {
    expect(retryDelaySeconds(POLICY, 100, 0)).toBe(900);
    expect(retryDelaySeconds(POLICY, 5, 0.99)).toBe(900);
    expect(retryDelaySeconds(POLICY, 1, 0.5)).toBe(63);
  });

  it('is what the receiver asked for with 503 when that is longer, up to the maximum', () => {
    const asked = (retryAfterSeconds: number) => ({ retryAfterSeconds, responseCode: 503 });
    expect(retryDelaySeconds(POLICY, 1, 0, asked(100))).toBe(100);
    expect(retryDelaySeconds(POLICY, 1, 0, asked(10))).toBe(60);
    expect(retryDelaySeconds(POLICY, 1, 0, asked(86_400))).toBe(900);
  });

  it('is what the receiver asked for with 429, from a second to a day, up to the maximum', () => {
    const asked = (retryAfterSeconds: number) => ({ retryAfterSeconds, responseCode: 429 });
    expect(retryDelaySeconds(POLICY, 1, 0.5, asked(100))).toBe(100);
    expect(retryDelaySeconds(POLICY, 1, 0.5, asked(10))).toBe(10);
    expect(retryDelaySeconds(POLICY, 1, 0.5, asked(0))).toBe(1);
    expect(retryDelaySeconds(POLICY, 1, 0.5, asked(86_400))).toBe(900);
    const patient = { ...POLICY, maxDelaySeconds: 604_800 };
    expect(retryDelaySeconds(patient, 1, 0.5, asked(500_000))).toBe(86_400);
  });

  it('is never above the maximum, never below the plain wait, and never shrinks with n', () => {
    fc.assert(
      fc.property(
        policies,
        fc.integer({ min: 1, max: 100 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (policy, n, random) => {
          const plain = retryDelaySeconds(policy, n, 0);
          const jittered = retryDelaySeconds(policy, n, random);
          expect(jittered).toBeGreaterThanOrEqual(plain);
          expect(jittered).toBeLessThanOrEqual(Math.min(plain * 1.1 + 1e-6, policy.maxDelaySeconds));
          expect(plain).toBeGreaterThanOrEqual(Math.min(policy.baseDelaySeconds, policy.maxDelaySeconds));
          expect(retryDelaySeconds(policy, n + 1, 0)).toBeGreaterThanOrEqual(plain);
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-03-01T12:00:00Z');
  it.each([
    ['120', 120],
    [' 0 ', 0],
    ['Sun, 01 Mar 2026 12:02:00 GMT', 120],
    ['Sunday, 01-Mar-26 12:00:30 GMT', 30],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
    ['99999999999', 31_536_000],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['2026', 2026],
    ['', null],
    [null, null],
    [undefined, null],
  ])('is read from %p as %p seconds', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});

describe('the outcome of an HTTP attempt', () => {
  const rules = {
    isRetryable: (status: number) => [408, 425, 429].includes(status) || status >= 500,
    hearsRetryAfter: (status: number) => status === 429 || status === 503,
    secrets: ['sesame-open'],
    request: { method: 'POST' },
    sent: { method: 'POST', url: 'https://hooks.example.com', ownHeaders: {}, body: Buffer.from('{}') },
  };
  const answer = (
    status: number,
    more: Partial<Extract<OutboundOutcome, { kind: 'answer' }>> = {},
  ): OutboundOutcome => ({
    kind: 'answer',
    status,
    headers: {},
    body: '',
    retryAfter: null,
    durationMs: 3,
    ...more,
  });
  const kindOf = (outcome: OutboundOutcome): string => outcomeOfHttp(outcome, rules, new Date(0)).kind;

  it('is decided by the status', () => {
    const kinds = new Map<string, number[]>();
    for (let status = 200; status < 600; status += 1) {
      const kind = kindOf(answer(status));
      kinds.set(kind, [...(kinds.get(kind) ?? []), status]);
    }
    expect(kinds.get('sent')).toEqual(Array.from({ length: 100 }, (_, at) => 200 + at));
    expect(kinds.get('transient')?.filter((status) => status < 500)).toEqual([408, 425, 429]);
    expect(kinds.get('transient')).toHaveLength(103);
    expect([...kinds.keys()].sort()).toEqual(['permanent', 'sent', 'transient']);
  });

  it.each([
    ['timeout', 'transient'],
    ['connection_refused', 'transient'],
    ['connection_reset', 'transient'],
    ['connection_failed', 'transient'],
    ['dns_temporary', 'transient'],
    ['unknown_host', 'transient'],
    ['tls_handshake', 'transient'],
    ['protocol_error', 'transient'],
    ['tls_certificate', 'permanent'],
    ['unsafe_destination', 'permanent'],
    ['invalid_request', 'permanent'],
  ] satisfies [OutboundFailureReason, string][])('is for %s %s', (reason, kind) => {
    expect(kindOf({ kind: 'failure', reason, message: 'It failed', durationMs: 1 })).toBe(kind);
  });

  it.each([
    [302, 'http_302: Redirects are not followed'],
    [308, 'http_308: Redirects are not followed'],
    [304, 'http_304: The receiver answered 304'],
    [305, 'http_305: The receiver answered 305'],
    [404, 'http_404: The receiver answered 404'],
  ])('calls %i a redirect only when it is one', (status, reason) => {
    expect(outcomeOfHttp(answer(status), rules, new Date(0)).reason).toBe(reason);
  });

  it('has nothing of what the destination keeps secret', () => {
    const told = outcomeOfHttp(
      answer(500, { body: 'no: sesame-open', headers: { 'content-type': 'text/sesame-open' } }),
      rules,
      new Date(0),
    );
    expect(JSON.stringify(told)).not.toContain('sesame-open');
    expect(told).toMatchObject({ code: 'http_500', responseCode: 500, reason: 'http_500: The receiver answered 500' });
  });

  it('has no half of a secret either, wherever the content type of an answer is cut', () => {
    for (let before = 180; before <= 205; before += 1) {
      const headers = { 'content-type': `${'x'.repeat(before)} sesame-open` };
      const { response } = outcomeOfHttp(answer(200, { headers }), rules, new Date(0));
      const kept = String(response?.content_type);
      expect(kept.length).toBeLessThanOrEqual(200);
      expect(kept).not.toContain('se');
    }
  });

  it('hears Retry-After where it counts, by the clock of the answer', () => {
    const headers = { date: 'Sun, 01 Mar 2026 12:00:00 GMT' };
    const wait = (status: number): number | null =>
      outcomeOfHttp(answer(status, { headers, retryAfter: 'Sun, 01 Mar 2026 12:01:00 GMT' }), rules, new Date(0))
        .retryAfterSeconds;
    expect([wait(429), wait(503), wait(500)]).toEqual([60, 60, null]);
  });
});

describe('a set of slots', () => {
  const lane = (name: string): SendingLane => ({ tenant: name.slice(0, 1), lane: name });

  it('is limited in all, by tenant and by lane', () => {
    const slots = new Slots({ all: 4, tenant: 3, lane: 2 });
    const spare = (...names: string[]): number[] => names.map((name) => slots.spare(lane(name)));
    slots.take(lane('a1'));
    slots.take(lane('a1'));
    expect(spare('a1', 'a2', 'b1')).toEqual([0, 1, 2]);
    slots.take(lane('a2'));
    expect(spare('a1', 'a2', 'a3', 'b1')).toEqual([0, 0, 0, 1]);
    slots.take(lane('b1'));
    expect(spare('b1', 'c1')).toEqual([0, 0]);
    slots.free(lane('a1'));
    expect([...spare('b1', 'a2'), slots.inUse]).toEqual([1, 1, 3]);
  });

  it('serves the waiting lanes of different tenants in turn', () => {
    const slots = new Slots({ all: 10, tenant: 2, lane: 1 });
    for (const name of ['a1', 'a2', 'a3', 'b1']) slots.remember(lane(name));
    const order: string[] = [];
    for (let next = slots.next(); next !== null; next = slots.next()) {
      order.push(next.lane);
      slots.take(next);
    }
    expect(order).toEqual(['a1', 'b1', 'a2']);
    expect(slots.isWaitedFor).toBe(true);
    slots.free(lane('a1'));
    expect(slots.next()).toEqual(lane('a3'));
    expect([slots.next(), slots.isWaitedFor]).toEqual([null, false]);
  });
});

it('names each process differently, in bounds', () => {
  expect(claimOwner()).not.toBe(claimOwner());
  expect(claimOwner().length).toBeLessThanOrEqual(120);
});
