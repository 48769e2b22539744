import { describe, expect, it } from '@jest/globals';
import { monthOf } from './month.js';

describe('the UTC month', () => {
  it.each([
    ['2026-11-20T12:00:00.000Z', '2026-11', '2026-11-01', '2026-12-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12', '2026-12-01', '2027-01-01'],
    ['2028-02-29T00:00:00.000Z', '2028-02', '2028-02-01', '2028-03-01'],
    ['2026-03-01T00:00:00.000Z', '2026-03', '2026-03-01', '2026-04-01'],
  ])('is for the instant %s the month %s, from %s to %s', (instant, month, fromDay, toDay) => {
    expect(monthOf(new Date(instant))).toMatchObject({ month, fromDay, toDay });
  });
});
