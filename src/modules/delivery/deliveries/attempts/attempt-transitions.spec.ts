import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RetryPolicy, TryOutcome } from '../../sending/index.js';
import { ATTEMPT_KINDS, CLAIM_KINDS } from './attempt-states.js';
import { type ClaimedState, nextState } from './attempt-transitions.js';

const POLICY: RetryPolicy = { strategy: 'exponential', baseDelaySeconds: 60, maxDelaySeconds: 900, maxRetries: 2 };
const OUTCOMES = ['sent', 'transient', 'permanent', 'refused', 'unavailable'] as const;

function next(
  state: Partial<ClaimedState>,
  kind: TryOutcome['kind'],
  retryAfterSeconds: number | null = null,
  responseCode: number | null = null,
) {
  const full: ClaimedState = {
    kind: 'rule_match',
    status: 'failed',
    claim: 'worker',
    retryCount: 1,
    tryNumber: 2,
    ...state,
  };
  return nextState(full, { kind, retryAfterSeconds, responseCode }, POLICY, 0);
}

const FIRST: Partial<ClaimedState> = { status: 'pending', retryCount: 0, tryNumber: 1 };
const TEST: Partial<ClaimedState> = { ...FIRST, kind: 'test', claim: 'test' };
const OPERATOR: Partial<ClaimedState> = { claim: 'retry_now', retryCount: 1, tryNumber: 3 };
const LAST: Partial<ClaimedState> = { retryCount: 2, tryNumber: 3 };

describe('the life of an attempt', () => {
  // Each row has name, state, outcome, and the expected status, retry state, delay, retries, sends and audit.
  it.each([
    ['first send', FIRST, 'sent', 'sent', null, null, 0, 1, 'dispatched'],
    ['first send', FIRST, 'transient', 'failed', 'scheduled_retry', 60, 0, 1, 'failed'],
    ['first send', FIRST, 'permanent', 'failed', 'terminal', null, 0, 1, 'failed'],
    ['first send', FIRST, 'refused', 'failed', 'terminal', null, 0, 0, 'skipped'],
    ['first send', FIRST, 'unavailable', 'pending', 'pending', 60, 0, 0, 'skipped'],
    ['retry', {}, 'sent', 'sent', null, null, 1, 2, 'dispatched'],
    ['retry', {}, 'transient', 'failed', 'scheduled_retry', 120, 1, 2, 'failed'],
    ['retry', {}, 'permanent', 'failed', 'terminal', null, 1, 2, 'failed'],
    ['retry', {}, 'refused', 'failed', 'terminal', null, 0, 1, 'skipped'],
    ['retry', {}, 'unavailable', 'failed', 'scheduled_retry', 60, 0, 1, 'skipped'],
    ['last retry', LAST, 'sent', 'sent', null, null, 2, 3, 'dispatched'],
    ['last retry', LAST, 'transient', 'failed', 'dlq', null, 2, 3, 'exhausted'],
    ['last retry', LAST, 'permanent', 'failed', 'terminal', null, 2, 3, 'failed'],
    ['last retry', LAST, 'unavailable', 'failed', 'scheduled_retry', 60, 1, 2, 'skipped'],
    ['Retry Now', OPERATOR, 'sent', 'sent', null, null, 1, 3, 'dispatched'],
    ['Retry Now', OPERATOR, 'transient', 'failed', 'scheduled_retry', 120, 1, 3, 'failed'],
    ['Retry Now', OPERATOR, 'permanent', 'failed', 'terminal', null, 1, 3, 'failed'],
    ['Retry Now', OPERATOR, 'refused', 'failed', 'terminal', null, 1, 2, 'skipped'],
    ['Retry Now', OPERATOR, 'unavailable', 'failed', 'scheduled_retry', 60, 1, 2, 'skipped'],
    ['drained send', { ...FIRST, claim: 'dlq_drain' }, 'transient', 'failed', 'scheduled_retry', 60, 0, 1, 'failed'],
    ['test', TEST, 'sent', 'sent', null, null, 0, 1, 'dispatched'],
    ['test', TEST, 'transient', 'failed', 'retry_exhausted', null, 0, 1, 'exhausted'],
    ['test', TEST, 'permanent', 'failed', 'terminal', null, 0, 1, 'failed'],
    ['test', TEST, 'refused', 'failed', 'terminal', null, 0, 0, 'skipped'],
    ['test', TEST, 'unavailable', 'failed', 'retry_exhausted', null, 0, 0, 'skipped'],
  ] as const)(
    'leads from "%s" %o by the outcome %s to the state %s %s',
    (_, state, outcome, status, retryState, delaySeconds, retryCount, tryNumber, audit) => {
      expect(next(state, outcome)).toEqual({ status, retryState, delaySeconds, retryCount, tryNumber, audit });
    },
  );

  it('waits at least as long as a receiver asks with 503, up to the maximum of the policy', () => {
    expect(next(FIRST, 'transient', 300, 503).delaySeconds).toBe(300);
    expect(next(FIRST, 'transient', 30, 503).delaySeconds).toBe(60);
    expect(next(FIRST, 'transient', 3_600, 503).delaySeconds).toBe(900);
  });

  it('waits exactly as long as a receiver asks with 429, from a second up to the maximum of the policy', () => {
    expect(next(FIRST, 'transient', 300, 429).delaySeconds).toBe(300);
    expect(next(FIRST, 'transient', 5, 429).delaySeconds).toBe(5);
    expect(next(FIRST, 'transient', 0, 429).delaySeconds).toBe(1);
    expect(next(FIRST, 'transient', 3_600, 429).delaySeconds).toBe(900);
    expect(next(FIRST, 'transient', null, 429).delaySeconds).toBe(60);
  });

  it('goes to the dead letters at once when the policy allows no retry', () => {
    const state: ClaimedState = { kind: 'rule_match', status: 'pending', claim: 'worker', retryCount: 0, tryNumber: 1 };
    const policy = { ...POLICY, maxRetries: 0 };
    expect(
      nextState(state, { kind: 'transient', retryAfterSeconds: null, responseCode: null }, policy, 0).retryState,
    ).toBe('dlq');
  });

  it('has a wait exactly when there is another try, and counters that never fall below zero', () => {
    const states = fc.record({
      kind: fc.constantFrom(...ATTEMPT_KINDS),
      status: fc.constantFrom('pending', 'failed'),
      claim: fc.constantFrom(...CLAIM_KINDS),
      retryCount: fc.integer({ min: 1, max: 101 }),
      tryNumber: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(states, fc.constantFrom(...OUTCOMES), fc.integer({ min: 0, max: 100 }), (state, kind, maxRetries) => {
        const result = nextState(
          state,
          { kind, retryAfterSeconds: null, responseCode: null },
          { ...POLICY, maxRetries },
          0.5,
        );
        const waits = result.retryState === 'pending' || result.retryState === 'scheduled_retry';
        expect(result.delaySeconds !== null).toBe(waits);
        expect(result.retryCount).toBeGreaterThanOrEqual(0);
        expect(result.tryNumber).toBeGreaterThanOrEqual(0);
        expect((result.retryState === null) === (result.status === 'sent')).toBe(true);
        if (state.kind === 'test') expect(waits).toBe(false);
      }),
    );
  });

  it('ends after the first try and as many retries as the policy allows, for any policy', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), (maxRetries) => {
        let state: ClaimedState = {
          kind: 'rule_match',
          status: 'pending',
          claim: 'worker',
          retryCount: 0,
          tryNumber: 1,
        };
        for (;;) {
          const result = nextState(
            state,
            { kind: 'transient', retryAfterSeconds: null, responseCode: null },
            { ...POLICY, maxRetries },
            0,
          );
          if (result.retryState === 'dlq') break;
          state = { ...state, status: 'failed', retryCount: result.retryCount + 1, tryNumber: result.tryNumber + 1 };
        }
        expect([state.retryCount, state.tryNumber]).toEqual([maxRetries, maxRetries + 1]);
      }),
    );
  });
});
