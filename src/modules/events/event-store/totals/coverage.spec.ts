import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { coverageOf, type TimeWindow, wholeDays } from './coverage.js';

const HOUR_MS = 3_600_000;
const at = (text: string): Date => new Date(`2026-03-10T${text}Z`);
const NOW = at('12:20:00.000');
const within = ({ from, to }: TimeWindow, instant: number): boolean =>
  from.getTime() <= instant && instant < to.getTime();

describe('the coverage of a window by hours and edges', () => {
  it.each([
    ['whole hours need no rows', '03:00:00.000', '05:00:00.000', ['03:00', '05:00'], []],
    [
      'the shorter side of an hour is subtracted',
      '03:10:00.000',
      '06:50:00.000',
      ['03:00', '07:00'],
      ['-03:00', '-06:50'],
    ],
    ['the shorter side of an hour is added', '03:50:00.000', '06:10:00.000', ['04:00', '06:00'], ['+03:50', '+06:00']],
    ['time that is still to come costs nothing', '03:00:00.000', '12:20:00.000', ['03:00', '13:00'], ['-12:20']],
    ['a short window is read from rows', '12:10:00.000', '12:20:00.000', null, ['+12:10']],
    ['a long part of one hour is read from rows', '03:10:00.000', '03:40:00.000', null, ['+03:10']],
    ['an empty window is read from rows', '03:10:00.000', '03:10:00.000', null, ['+03:10']],
  ])('reads as few rows as possible: %s', (_, from, to, hours, edges) => {
    const coverage = coverageOf({ from: at(from), to: at(to) }, NOW);
    const minute = (date: Date): string => date.toISOString().slice(11, 16);
    expect(coverage.hours && [minute(coverage.hours.from), minute(coverage.hours.to)]).toEqual(hours);
    expect(coverage.edges.map((edge) => `${edge.sign === 1 ? '+' : '-'}${minute(edge.from)}`)).toEqual(edges);
  });

  it('counts each instant of the window once and no other, whatever the window and the time', () => {
    const instant = fc.integer({ min: -3 * HOUR_MS, max: 9 * HOUR_MS });
    fc.assert(
      fc.property(instant, instant, instant, fc.array(instant, { maxLength: 30 }), (from, to, now, others) => {
        const window = { from: new Date(from), to: new Date(to) };
        const { hours, edges } = coverageOf(window, new Date(now));
        const marks = [...others, from, to, ...edges.flatMap((edge) => [edge.from.getTime(), edge.to.getTime()])];
        for (const mark of marks.flatMap((one) => [one - 1, one, one + 1])) {
          const counted =
            (hours !== null && within(hours, mark) ? 1 : 0) +
            edges.filter((edge) => within(edge, mark)).reduce((sum, { sign }) => sum + sign, 0);
          expect(counted).toBe(within(window, mark) ? 1 : 0);
        }
        if (hours !== null) {
          expect(Math.abs(hours.from.getTime() % HOUR_MS)).toBe(0);
          expect(Math.abs(hours.to.getTime() % HOUR_MS)).toBe(0);
          expect(hours.from.getTime()).toBeLessThan(hours.to.getTime());
          for (const edge of edges)
            if (edge.from.getTime() < now)
              expect(Math.min(edge.to.getTime(), now) - edge.from.getTime()).toBeLessThanOrEqual(HOUR_MS / 2);
        }
      }),
    );
  });

  it('takes whole days for whole hours, and counts each hour once and no other', () => {
    const first = NOW.getTime() - (NOW.getTime() % HOUR_MS);
    const hour = fc.integer({ min: -100, max: 100 }).map((count) => first + count * HOUR_MS);
    fc.assert(
      fc.property(hour, hour, hour, (one, other, now) => {
        const window = { from: new Date(Math.min(one, other)), to: new Date(Math.max(one, other)) };
        const { days, hours } = wholeDays(window, new Date(now));
        for (
          let mark = window.from.getTime() - 30 * HOUR_MS;
          mark <= window.to.getTime() + 30 * HOUR_MS;
          mark += HOUR_MS
        ) {
          const counted =
            (days !== null && within(days, mark) ? 1 : 0) +
            hours.filter((part) => within(part, mark)).reduce((sum, { sign }) => sum + sign, 0);
          expect(counted).toBe(within(window, mark) ? 1 : 0);
        }
        if (days === null) return;
        for (const end of [days.from, days.to]) expect(end.toISOString()).toMatch(/T00:00:00.000Z$/);
        for (const { from, to } of hours)
          if (from.getTime() < now)
            expect(Math.min(to.getTime(), now) - from.getTime()).toBeLessThanOrEqual(12 * HOUR_MS);
      }),
    );
  });
});
