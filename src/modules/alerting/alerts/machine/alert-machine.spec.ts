import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ALERT_STATUSES,
  type AlertMove,
  type AlertState,
  type AlertStatus,
  asOf,
  move,
  type MoveFault,
  NEW_ALERT,
} from './alert-machine.js';
import { propertyRuns } from '../../../../../test/support/property-runs.js';

const at = (seconds: number): Date => new Date(seconds * 1_000);
const STATES: Readonly<Record<AlertStatus | 'snoozed till 90', AlertState>> = {
  open: NEW_ALERT,
  acknowledged: { ...NEW_ALERT, status: 'acknowledged', acknowledgedAt: at(50) },
  snoozed: { ...NEW_ALERT, status: 'snoozed', snoozedUntil: at(200) },
  'snoozed till 90': { ...NEW_ALERT, status: 'snoozed', snoozedUntil: at(90) },
  resolved: { ...NEW_ALERT, status: 'resolved', acknowledgedAt: at(50), resolvedAt: at(60) },
};
const MOVES: Readonly<Record<AlertMove['kind'], AlertMove>> = {
  acknowledge: { kind: 'acknowledge' },
  snooze: { kind: 'snooze', until: at(300) },
  resolve: { kind: 'resolve' },
  reopen: { kind: 'reopen' },
};

describe('the machine of an alert event', () => {
  // Each row has a state, a move at 100 s, and the result.
  it.each<[keyof typeof STATES, AlertMove['kind'], AlertStatus | MoveFault]>([
    ['open', 'acknowledge', 'acknowledged'],
    ['open', 'snooze', 'snoozed'],
    ['open', 'resolve', 'resolved'],
    ['open', 'reopen', 'is_unresolved'],
    ['acknowledged', 'acknowledge', 'is_acknowledged'],
    ['acknowledged', 'snooze', 'snoozed'],
    ['acknowledged', 'resolve', 'resolved'],
    ['acknowledged', 'reopen', 'is_unresolved'],
    ['snoozed', 'acknowledge', 'acknowledged'],
    ['snoozed', 'snooze', 'is_snoozed'],
    ['snoozed', 'resolve', 'resolved'],
    ['snoozed', 'reopen', 'is_unresolved'],
    ['snoozed till 90', 'acknowledge', 'acknowledged'],
    ['snoozed till 90', 'snooze', 'snoozed'],
    ['snoozed till 90', 'resolve', 'resolved'],
    ['snoozed till 90', 'reopen', 'is_unresolved'],
    ['resolved', 'acknowledge', 'is_resolved'],
    ['resolved', 'snooze', 'is_resolved'],
    ['resolved', 'resolve', 'is_resolved'],
    ['resolved', 'reopen', 'open'],
  ])('answers in the state "%s" to the action "%s" with %s', (state, kind, result) => {
    const after = move(STATES[state], MOVES[kind], at(100));
    expect(typeof after === 'string' ? after : after.status).toBe(result);
  });

  it('keeps the times of what happened', () => {
    expect(move(STATES.open, MOVES.acknowledge, at(100))).toEqual({
      ...NEW_ALERT,
      status: 'acknowledged',
      acknowledgedAt: at(100),
    });
    const snoozed = move(STATES.acknowledged, MOVES.snooze, at(100)) as AlertState;
    expect(snoozed).toEqual({ ...STATES.acknowledged, status: 'snoozed', snoozedUntil: at(300) });
    expect(asOf(snoozed, at(299))).toBe(snoozed);
    expect(asOf(snoozed, at(300))).toEqual({ ...NEW_ALERT, acknowledgedAt: at(50) });
    expect(move(snoozed, MOVES.acknowledge, at(120))).toEqual(STATES.acknowledged);
    expect(move(snoozed, MOVES.resolve, at(120))).toEqual({
      ...NEW_ALERT,
      status: 'resolved',
      acknowledgedAt: at(50),
      resolvedAt: at(120),
    });
    expect(move(STATES.resolved, MOVES.reopen, at(100))).toEqual(NEW_ALERT);
  });

  it('never leaves its states, whatever people do and however time goes', () => {
    const step = fc.tuple(
      fc.constantFrom<AlertMove['kind']>('acknowledge', 'snooze', 'resolve', 'reopen'),
      fc.integer({ min: 0, max: 200 }),
      fc.integer({ min: 1, max: 200 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let state = NEW_ALERT;
        let now = 1_000;
        for (const [kind, wait, length] of steps) {
          now += wait;
          const before = asOf(state, at(now));
          const wish: AlertMove = kind === 'snooze' ? { kind, until: at(now + length) } : { kind };
          const after = move(state, wish, at(now));
          // The result is the same whether or not the end of an expired snooze has been stored.
          expect(move(before, wish, at(now))).toEqual(after);
          if (typeof after === 'string') continue;
          expect(ALERT_STATUSES).toContain(after.status);
          expect(after.status).not.toBe(before.status);
          expect(after.status === 'snoozed').toBe(after.snoozedUntil !== null);
          expect(after.status === 'resolved').toBe(after.resolvedAt !== null);
          if (after.status === 'acknowledged') expect(after.acknowledgedAt).not.toBeNull();
          if (before.status === 'resolved') expect(kind).toBe('reopen');
          state = after;
        }
        expect(asOf(state, at(now + 1_000)).status).not.toBe('snoozed');
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});
