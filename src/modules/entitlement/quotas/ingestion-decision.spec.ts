import { describe, expect, it } from '@jest/globals';
import { blockReason, monthlyEventLimit } from './ingestion-decision.js';

const free = { used: 0, limit: null };

describe('blockReason', () => {
  it.each([
    ['active', null],
    ['trialing', null],
    ['past_due', null],
    ['inactive', 'billing_inactive'],
    ['canceled', 'billing_inactive'],
    ['blocked', 'blocked'],
    ['suspended', 'blocked'],
    ['something new', 'blocked'],
  ])('answers the billing status %s with %s', (billingStatus, reason) => {
    expect(blockReason({ billingStatus, events: free, requests: free })).toBe(reason);
  });

  it.each([
    [null, { used: 99, limit: 100 }, free],
    ['limit_exceeded', { used: 100, limit: 100 }, free],
    ['limit_exceeded', { used: 0, limit: 0 }, free],
    [null, free, { used: 9, limit: 10 }],
    ['request_limit_exceeded', free, { used: 10, limit: 10 }],
    ['limit_exceeded', { used: 5, limit: 5 }, { used: 10, limit: 10 }],
  ])('returns %s for one more event when the events are %j and the requests are %j', (reason, events, requests) => {
    expect(blockReason({ billingStatus: 'active', events, requests })).toBe(reason);
  });
});

describe('monthlyEventLimit', () => {
  it.each([
    ['free', null, 10_000],
    ['pro', null, 100_000],
    ['scale', null, 1_000_000],
    ['enterprise', null, null],
    ['free', 0, 0],
    ['enterprise', 7, 7],
  ] as const)('returns for the plan %s with the explicit limit %s: %s', (plan, explicit, limit) => {
    expect(monthlyEventLimit(plan, explicit)).toBe(limit);
  });
});
