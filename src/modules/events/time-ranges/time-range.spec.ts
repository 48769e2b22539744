import { describe, expect, it } from '@jest/globals';
import { windowOf } from './time-range.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number): Date => new Date(now.getTime() + ms);
const DAY_MS = 86_400_000;

describe('the window of a request', () => {
  it.each([
    ['ends after the very millisecond of now', {}, at(1 - DAY_MS), at(1)],
    ['ends where the request says so', { to_ts: at(-5) }, at(-5 - DAY_MS), at(-5)],
    ['begins where the request says so', { from_ts: at(-5) }, at(-5), at(1)],
    ['is empty when it would begin in the future', { from_ts: at(9) }, at(9), at(9)],
  ])('follows the query: it %s', (_, bounds, from, to) => {
    expect(windowOf({ range: '24h', ...bounds }, now, 'query')).toEqual({ from, to });
  });
});
