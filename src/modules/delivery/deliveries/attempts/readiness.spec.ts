import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ATTEMPT_KINDS, ATTEMPT_STATUSES, CLAIM_KINDS, RECOVERIES } from './attempt-states.js';
import {
  decide,
  PRECEDENCE,
  REASON_CODES,
  type ReasonCode,
  RECOVERY_ACTIONS,
  type RecoveryFacts,
} from './readiness.js';

const CHANNEL = { type: 'webhook', enabled: true, hasValidDestination: true };
const DEAD: RecoveryFacts = {
  status: 'failed',
  retryState: 'dlq',
  kind: 'rule_match',
  recovery: null,
  recoveredBy: null,
  claim: null,
  channel: CHANNEL,
};
const SCHEDULED: RecoveryFacts = { ...DEAD, retryState: 'scheduled_retry' };

/** For each code, the facts that make its rule refuse. Merged facts break several rules at once. */
const BREAKING: Record<ReasonCode, Partial<RecoveryFacts>> = {
  not_failed: { status: 'sent' },
  unsupported_delivery_kind: { kind: 'test' },
  replay_created_attempt: { recovery: 'replay' },
  dlq_drain_created_attempt: { recovery: 'dlq_drain' },
  already_drained: { recoveredBy: 'dlq_drain' },
  not_terminal: { retryState: 'scheduled_retry' },
  already_terminal: { retryState: 'terminal' },
  not_dlq: { retryState: 'terminal' },
  retry_policy_exhausted: { retryState: 'dlq' },
  retry_claim_active: { claim: 'worker' },
  dlq_drain_claim_active: { claim: 'dlq_drain' },
  channel_missing: { channel: null },
  unsupported_channel_type: { channel: { ...CHANNEL, type: 'pigeon' } },
  channel_disabled: { channel: { ...CHANNEL, enabled: false } },
  destination_configuration_invalid: { channel: { ...CHANNEL, hasValidDestination: false } },
};

describe('readiness', () => {
  it.each([
    ['replay', 'dlq'],
    ['replay', 'terminal'],
    ['replay', 'retry_exhausted'],
    ['replay', 'scheduled_retry'],
    ['retry_now', 'scheduled_retry'],
    ['dlq_drain', 'dlq'],
  ] as const)('allows %s of an attempt that is %s', (action, retryState) => {
    expect(decide(action, { ...DEAD, retryState })).toMatchObject({ allowed: true, action, reasonCode: null });
  });

  const ready = { replay: DEAD, retry_now: SCHEDULED, dlq_drain: DEAD };
  it.each(RECOVERY_ACTIONS.flatMap((action) => PRECEDENCE[action].map((code) => [action, code] as const)))(
    'refuses %s with the code %s',
    (action, code) => {
      const answer = decide(action, { ...ready[action], ...BREAKING[code] });
      expect(answer).toEqual({ allowed: false, action, reasonCode: code, reason: expect.any(String) });
      expect(answer.reason.length).toBeGreaterThan(10);
    },
  );

  it('refuses to replay or drain what has been replayed', () => {
    const replayed = { ...DEAD, recoveredBy: 'replay' as const };
    expect(decide('replay', replayed).reasonCode).toBe('replay_created_attempt');
    expect(decide('dlq_drain', replayed).reasonCode).toBe('replay_created_attempt');
  });

  it('uses every code of the interface', () => {
    expect([...new Set(Object.values(PRECEDENCE).flat())].sort()).toEqual([...REASON_CODES].sort());
  });

  it.each(RECOVERY_ACTIONS)('names of several reasons against %s the first', (action) => {
    const order = PRECEDENCE[action];
    for (const [at, first] of order.entries()) {
      for (const later of order.slice(at + 1)) {
        const facts = { ...ready[action], ...BREAKING[later], ...BREAKING[first] };
        expect([first, later, decide(action, facts).reasonCode]).toEqual([first, later, first]);
      }
    }
  });

  it('allows exactly what no rule of the action refuses, and one recovery of a source at most', () => {
    const facts = fc.record({
      status: fc.constantFrom(...ATTEMPT_STATUSES),
      retryState: fc.constantFrom('pending', 'scheduled_retry', 'retry_exhausted', 'dlq', 'terminal', null),
      kind: fc.constantFrom(...ATTEMPT_KINDS),
      recovery: fc.option(fc.constantFrom(...RECOVERIES)),
      recoveredBy: fc.option(fc.constantFrom(...RECOVERIES)),
      claim: fc.option(fc.constantFrom(...CLAIM_KINDS)),
      channel: fc.option(
        fc.record({
          type: fc.constantFrom('webhook', 'email', 'pigeon'),
          enabled: fc.boolean(),
          hasValidDestination: fc.boolean(),
        }),
      ),
    });
    fc.assert(
      fc.property(facts, fc.constantFrom(...RECOVERY_ACTIONS), (fact, action) => {
        const { allowed, reasonCode } = decide(action, fact);
        expect(allowed).toBe(reasonCode === null);
        if (!allowed) return;
        expect(fact).toMatchObject({ status: 'failed', kind: 'rule_match' });
        expect(fact.channel).toMatchObject({ enabled: true, hasValidDestination: true });
        if (action !== 'retry_now') expect([fact.recovery, fact.recoveredBy]).toEqual([null, null]);
      }),
    );
  });
});
