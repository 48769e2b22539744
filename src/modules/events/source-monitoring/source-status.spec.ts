import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { failureRate, sourceStatus } from './source-status.js';

const usual = { isEnabled: true, activeKeys: 1, hasHook: false, hoursSinceLastEvent: 1, events: 9, failures: 1 };

describe('the status of a source', () => {
  it.each([
    ['healthy', 'with an event in the last 24 hours', {}],
    ['quiet', 'without one', { hoursSinceLastEvent: 24, events: 0, failures: 0 }],
    ['healthy', 'with some refusals', { events: 11, failures: 10 }],
    ['failing', 'with as many refusals as events', { events: 10, failures: 10 }],
    ['failing', 'with refusals alone', { events: 0, failures: 1 }],
    ['failing', 'with refusals before the first event', { hoursSinceLastEvent: null, events: 0, failures: 1 }],
    ['failing', 'without an active key', { activeKeys: 0 }],
    ['healthy', 'without an active key but with an address for webhooks', { activeKeys: 0, hasHook: true }],
    ['never_seen', 'before the first event', { hoursSinceLastEvent: null, events: 0, failures: 0 }],
    [
      'never_seen',
      'before the first event, whatever its keys',
      { hoursSinceLastEvent: null, failures: 0, activeKeys: 0 },
    ],
    ['disabled', 'when it is off, whatever else holds', { isEnabled: false, activeKeys: 0, failures: 100 }],
    ['quiet', 'with few refusals among old events', { hoursSinceLastEvent: 30, events: 10, failures: 1 }],
  ] as const)('is %s %s', (status, _, facts) => {
    expect(sourceStatus({ ...usual, ...facts })).toBe(status);
  });
});

describe('the failure rate', () => {
  it('is a share, and 0 only without failures', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (events, failures) => {
        const rate = failureRate({ events, failures });
        return rate >= 0 && rate <= 1 && (rate === 0) === (failures === 0);
      }),
    );
  });
});
