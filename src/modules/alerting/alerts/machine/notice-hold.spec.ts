import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NEW_ALERT } from './alert-machine.js';
import { type Hold, holdOf, type NoticeState, tellsResolve } from './notice-hold.js';

const at = (seconds: number): Date => new Date(seconds * 1_000);
const ALERT: NoticeState = { ...NEW_ALERT, occurrences: 5, toldOccurrences: 2, notifiedAt: null, cooldownSeconds: 60 };

describe('whether somebody is told', () => {
  it.each<[string, Partial<NoticeState>, Date | null, Hold]>([
    ['of what is new', {}, null, { kind: 'tell' }],
    ['of an acknowledged one too', { status: 'acknowledged' }, null, { kind: 'tell' }],
    ['of nothing twice', { toldOccurrences: 5 }, null, { kind: 'nothing to tell' }],
    ['of none that is resolved', { status: 'resolved', resolvedAt: at(1) }, null, { kind: 'nothing to tell' }],
    ['after the cooldown', { notifiedAt: at(40) }, null, { kind: 'tell' }],
    ['not within it', { notifiedAt: at(41) }, null, { kind: 'cooling down', until: at(101) }],
    ['always without one', { notifiedAt: at(100), cooldownSeconds: 0 }, null, { kind: 'tell' }],
    ['not in silence', {}, at(150), { kind: 'silenced', until: at(150) }],
    [
      'not before a snooze ends',
      { status: 'snoozed', snoozedUntil: at(101) },
      null,
      { kind: 'snoozed', until: at(101) },
    ],
    ['once it has ended', { status: 'snoozed', snoozedUntil: at(100) }, null, { kind: 'tell' }],
  ])('%s', (_, alert, silencedUntil, hold) => {
    expect(holdOf({ ...ALERT, ...alert }, silencedUntil, at(100))).toEqual(hold);
  });

  it('comes to an end: whoever looks again when a hold is over tells of every occurrence, once', () => {
    const step = fc.tuple(
      fc.integer({ min: 0, max: 50 }),
      fc.constantFrom('occur', 'occur', 'snooze', 'silence', 'look'),
      fc.integer({ min: 1, max: 200 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 30, 300), (steps, cooldownSeconds) => {
        let alert: NoticeState = { ...ALERT, occurrences: 1, toldOccurrences: 0, cooldownSeconds };
        let now = 1_000;
        let silencedUntil: Date | null = null;
        let told = 0;
        const notices: number[] = [];
        const look = (): Hold => {
          const hold = holdOf(alert, silencedUntil !== null && silencedUntil > at(now) ? silencedUntil : null, at(now));
          if (hold.kind === 'tell') {
            told += alert.occurrences - alert.toldOccurrences;
            notices.push(now);
            alert = { ...alert, toldOccurrences: alert.occurrences, notifiedAt: at(now) };
          } else if ('until' in hold) expect(hold.until > at(now)).toBe(true);
          return hold;
        };
        for (const [wait, kind, length] of steps) {
          now += wait;
          if (kind === 'occur') alert = { ...alert, occurrences: alert.occurrences + length };
          if (kind === 'snooze') alert = { ...alert, status: 'snoozed', snoozedUntil: at(now + length) };
          if (kind === 'silence') silencedUntil = at(now + length);
          look();
        }
        for (let hold = look(); 'until' in hold; hold = look()) now = hold.until.getTime() / 1_000;
        look();
        expect(told).toBe(alert.occurrences);
        for (const [index, notice] of notices.slice(1).entries()) {
          expect(notice - (notices[index] ?? 0)).toBeGreaterThanOrEqual(cooldownSeconds);
        }
      }),
    );
  });

  it.each([
    ['the end, to those who know of the beginning', 1, false, true],
    ['no end of what nobody heard of', 0, false, false],
    ['no end twice', 1, true, false],
  ] as const)('of %s', (_, toldOccurrences, isResolveTold, told) => {
    // The cooldown of the episode before may still hold.
    const alert = { ...ALERT, notifiedAt: at(50), toldOccurrences, isResolveTold };
    expect(tellsResolve(alert)).toBe(told);
  });
});
