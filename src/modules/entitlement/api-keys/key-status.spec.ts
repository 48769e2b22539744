import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type KeyLife, keyStatus } from './key-status.js';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const before = new Date(NOW.getTime() - 1);
const after = new Date(NOW.getTime() + 1);
const OTHER = '0199f3a1-0000-7000-8000-000000000001';

describe('the status of a key', () => {
  it.each([
    ['active', null, null, null],
    ['active', null, after, null],
    ['expired', null, NOW, null],
    ['expired', null, before, null],
    ['rotating', null, after, OTHER],
    ['rotating', null, null, OTHER],
    ['expired', null, NOW, OTHER],
    ['expired', null, before, OTHER],
    ['revoked', before, null, null],
    ['revoked', before, after, null],
    ['revoked', before, before, null],
    ['revoked', before, after, OTHER],
    ['revoked', before, before, OTHER],
    ['revoked', after, null, null],
  ] as const)(
    'is %s when revoked at %s, expiring at %s and rotated to %s',
    (status, revokedAt, expiresAt, rotatedTo) => {
      expect(keyStatus({ revokedAt, expiresAt, rotatedTo }, NOW)).toBe(status);
    },
  );

  const time = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  const life: fc.Arbitrary<KeyLife> = fc.record({
    revokedAt: fc.option(time),
    expiresAt: fc.option(time),
    rotatedTo: fc.option(fc.constant(OTHER)),
  });

  it('never comes back to life as time goes on', () => {
    const works = (key: KeyLife, at: Date): boolean => ['active', 'rotating'].includes(keyStatus(key, at));
    fc.assert(
      fc.property(life, time, time, (key, one, other) => {
        const [earlier, later] = one <= other ? [one, other] : [other, one];
        return works(key, earlier) || !works(key, later);
      }),
    );
  });

  it('is changed by time alone from working to expired, and a revoked key is that for ever', () => {
    fc.assert(
      fc.property(life, time, time, (key, one, other) => {
        const pair = [keyStatus(key, one), keyStatus(key, other)];
        return pair[0] === pair[1] || (pair.includes('expired') && !pair.includes('revoked'));
      }),
    );
  });

  it('is revoked exactly when the key was, whatever else holds', () => {
    fc.assert(fc.property(life, time, (key, now) => (keyStatus(key, now) === 'revoked') === (key.revokedAt !== null)));
  });

  it('is rotating only for a key that has a successor', () => {
    fc.assert(fc.property(life, time, (key, now) => keyStatus(key, now) !== 'rotating' || key.rotatedTo !== null));
  });
});
