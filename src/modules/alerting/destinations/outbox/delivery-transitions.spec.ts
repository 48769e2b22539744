import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { TryOutcome } from '../../../delivery/sending/index.js';
import { type ClaimedDelivery, MOST_TRIES, nextDelivery } from './delivery-transitions.js';

type Outcome = Pick<TryOutcome, 'kind' | 'retryAfterSeconds' | 'responseCode'>;
const KINDS = ['sent', 'transient', 'permanent', 'refused', 'unavailable'] as const;
const outcome = (kind: Outcome['kind'], retryAfterSeconds: number | null = null): Outcome => ({
  kind,
  retryAfterSeconds,
  responseCode: retryAfterSeconds === null ? 503 : 429,
});

describe('an alert delivery after an attempt', () => {
  it.each([
    ['pending', 0, 'sent', 'sent', 0, null],
    ['retrying', 3, 'sent', 'sent', 3, null],
    ['pending', 0, 'transient', 'retrying', 1, 30],
    ['retrying', 1, 'transient', 'retrying', 2, 60],
    ['retrying', 2, 'transient', 'retrying', 3, 120],
    ['retrying', 3, 'transient', 'retrying', 4, 240],
    ['retrying', 4, 'transient', 'failed', 5, null],
    ['pending', 0, 'permanent', 'failed', 1, null],
    ['retrying', 4, 'permanent', 'failed', 5, null],
    ['pending', 0, 'refused', 'failed', 0, null],
    ['retrying', 2, 'refused', 'failed', 2, null],
    ['pending', 0, 'unavailable', 'pending', 0, 60],
    ['retrying', 4, 'unavailable', 'retrying', 4, 60],
  ] as const)(
    'moves from %s with %i failures and the outcome "%s" to %s',
    (status, retryCount, kind, next, count, delaySeconds) => {
      expect(nextDelivery({ status, retryCount }, outcome(kind))).toEqual({
        status: next,
        retryCount: count,
        delaySeconds,
      });
    },
  );

  it.each([
    [90, 90],
    [86_400, 86_400],
    [500_000, 86_400],
    [5, 5],
    // The receiver accepts requests at once, or its date is past.
    [0, 1],
    [-5, 1],
  ])('waits for the Retry-After of a 429, from a second to a day: %i is %i seconds', (asked, delaySeconds) => {
    expect(nextDelivery({ status: 'retrying', retryCount: 1 }, outcome('transient', asked))).toMatchObject({
      delaySeconds,
    });
  });

  it('is attempted at most five times while its receiver fails', () => {
    const outcomes = fc.array(fc.constantFrom(...KINDS), { minLength: 12, maxLength: 60 });
    fc.assert(
      fc.property(outcomes, (kinds) => {
        let state: ClaimedDelivery = { status: 'pending', retryCount: 0 };
        let tries = 0;
        for (const kind of kinds) {
          if (kind !== 'unavailable' && kind !== 'refused') tries += 1;
          const next = nextDelivery(state, outcome(kind));
          expect(next.delaySeconds === null).toBe(next.status === 'sent' || next.status === 'failed');
          expect(next.retryCount).toBeGreaterThanOrEqual(state.retryCount);
          expect(next.retryCount).toBeLessThanOrEqual(MOST_TRIES);
          if (next.status === 'sent' || next.status === 'failed') return;
          state = { status: next.status, retryCount: next.retryCount };
          expect(tries).toBeLessThan(MOST_TRIES);
        }
      }),
    );
  });
});
