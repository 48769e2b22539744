import { describe, expect, it } from '@jest/globals';
import { durationOf, resolvedMessage } from './resolved-message.js';

describe('the message of a resolved alert', () => {
  const createdAt = new Date('2026-03-01T12:00:00Z');

  it('says after how long it is over and what it was, with the name of the rule once', () => {
    const resolvedAt = new Date('2026-03-01T14:05:07Z');
    expect(resolvedMessage({ ruleName: 'Payments fail', createdAt, resolvedAt }, 'Payments fail: card declined')).toBe(
      'Payments fail: Resolved after 2 h 5 min: card declined',
    );
    expect(resolvedMessage({ ruleName: 'Payments fail', createdAt, resolvedAt }, 'no name in it')).toBe(
      'Payments fail: Resolved after 2 h 5 min: no name in it',
    );
    expect(resolvedMessage({ ruleName: null, createdAt, resolvedAt }, 'raised by hand')).toBe(
      'Resolved after 2 h 5 min: raised by hand',
    );
  });

  it.each([
    [-5, '0 s'],
    [400, '0 s'],
    [59_000, '59 s'],
    [60_000, '1 min'],
    [303_000, '5 min 3 s'],
    [3_600_000, '1 h'],
    [3_605_000, '1 h'],
    [90_000_000, '1 d 1 h'],
  ])('writes %i milliseconds as %s', (milliseconds, text) => {
    expect(durationOf(milliseconds)).toBe(text);
  });
});
