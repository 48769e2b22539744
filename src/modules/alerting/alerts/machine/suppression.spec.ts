import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NEW_ALERT } from './alert-machine.js';
import { type Suppression, suppressionOf, type NotificationState, notifiesResolution } from './suppression.js';

const at = (seconds: number): Date => new Date(seconds * 1_000);
const ALERT: NotificationState = {
  ...NEW_ALERT,
  occurrences: 5,
  toldOccurrences: 2,
  notifiedAt: null,
  cooldownSeconds: 60,
};

describe('the notification of an alert', () => {
  it.each<[string, Partial<NotificationState>, Date | null, Suppression]>([
    ['sent when the alert is new', {}, null, { kind: 'notify' }],
    ['sent when it is acknowledged', { status: 'acknowledged' }, null, { kind: 'notify' }],
    ['not sent twice for the same occurrences', { toldOccurrences: 5 }, null, { kind: 'nothing new' }],
    ['not sent when it is resolved', { status: 'resolved', resolvedAt: at(1) }, null, { kind: 'nothing new' }],
    ['sent after the cooldown', { notifiedAt: at(40) }, null, { kind: 'notify' }],
    ['held within the cooldown', { notifiedAt: at(41) }, null, { kind: 'cooling down', until: at(101) }],
    ['sent at once without a cooldown', { notifiedAt: at(100), cooldownSeconds: 0 }, null, { kind: 'notify' }],
    ['held during a silence', {}, at(150), { kind: 'silenced', until: at(150) }],
    [
      'held before a snooze ends',
      { status: 'snoozed', snoozedUntil: at(101) },
      null,
      { kind: 'snoozed', until: at(101) },
    ],
    ['sent when the snooze has ended', { status: 'snoozed', snoozedUntil: at(100) }, null, { kind: 'notify' }],
  ])('depends on the alert: %s', (_, alert, silencedUntil, suppression) => {
    expect(suppressionOf({ ...ALERT, ...alert }, silencedUntil, at(100))).toEqual(suppression);
  });

  it('is sent once for every occurrence when it is tried again after each suppression', () => {
    const step = fc.tuple(
      fc.integer({ min: 0, max: 50 }),
      fc.constantFrom('occur', 'occur', 'snooze', 'silence', 'look'),
      fc.integer({ min: 1, max: 200 }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(0, 30, 300), (steps, cooldownSeconds) => {
        let alert: NotificationState = { ...ALERT, occurrences: 1, toldOccurrences: 0, cooldownSeconds };
        let now = 1_000;
        let silencedUntil: Date | null = null;
        let told = 0;
        const notifications: number[] = [];
        const look = (): Suppression => {
          const suppression = suppressionOf(
            alert,
            silencedUntil !== null && silencedUntil > at(now) ? silencedUntil : null,
            at(now),
          );
          if (suppression.kind === 'notify') {
            told += alert.occurrences - alert.toldOccurrences;
            notifications.push(now);
            alert = { ...alert, toldOccurrences: alert.occurrences, notifiedAt: at(now) };
          } else if ('until' in suppression) expect(suppression.until > at(now)).toBe(true);
          return suppression;
        };
        for (const [wait, kind, length] of steps) {
          now += wait;
          if (kind === 'occur') alert = { ...alert, occurrences: alert.occurrences + length };
          if (kind === 'snooze') alert = { ...alert, status: 'snoozed', snoozedUntil: at(now + length) };
          if (kind === 'silence') silencedUntil = at(now + length);
          look();
        }
        for (let suppression = look(); 'until' in suppression; suppression = look())
          now = suppression.until.getTime() / 1_000;
        look();
        expect(told).toBe(alert.occurrences);
        for (const [index, notification] of notifications.slice(1).entries()) {
          expect(notification - (notifications[index] ?? 0)).toBeGreaterThanOrEqual(cooldownSeconds);
        }
      }),
    );
  });

  it.each([
    ['sent when the alert was notified', 1, false, true],
    ['not sent when the alert was never notified', 0, false, false],
    ['not sent twice', 1, true, false],
  ] as const)('follows the resolution of an alert: %s', (_, toldOccurrences, isResolveTold, told) => {
    // The cooldown of the previous episode may still be running.
    const alert = { ...ALERT, notifiedAt: at(50), toldOccurrences, isResolveTold };
    expect(notifiesResolution(alert)).toBe(told);
  });
});
