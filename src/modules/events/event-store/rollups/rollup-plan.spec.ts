import { describe, expect, it } from '@jest/globals';
import { dividedDaysOf } from './rollup-plan.js';

const at = (text: string): Date => new Date(text);

describe('the days that buckets divide', () => {
  it.each([
    ['no buckets', [], []],
    ['UTC days', ['2026-01-01T00:00Z', '2026-01-02T00:00Z'], []],
    ['hours', ['2026-01-01T00:00Z', '2026-01-01T01:00Z', '2026-01-01T02:00Z'], ['2026-01-01']],
    ['days of a zone', ['2025-12-31T23:00Z', '2026-01-01T23:00Z'], ['2025-12-31', '2026-01-01']],
    ['the first year', ['0001-01-01T00:00Z', '0001-01-08T00:30Z'], ['0001-01-08']],
  ])('are those in which a bucket begins: %s', (_, starts, days) => {
    expect(dividedDaysOf(starts.map(at))).toEqual(days.map(at));
  });
});
