import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TimeZone } from '../../../../platform/clock/index.js';
import { ValidationError } from '../../../../platform/http/validation/index.js';
import type { RequestedInterval } from './bucket-intervals.js';
import { bucketCoverageOf } from './bucket-coverage.js';
import type { TimeWindow } from './coverage.js';
import { bucketsOf, likeBucketsOf } from './zoned-buckets.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LENGTH_MS = { minute: 60_000, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS };
const UTC = new TimeZone('UTC');
const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'].map(
  (name) => new TimeZone(name),
);
const windowOf = (from: string, to: string): TimeWindow => ({ from: new Date(from), to: new Date(to) });
const until = (to: string, ms: number): TimeWindow => ({ from: new Date(Date.parse(to) - ms), to: new Date(to) });
const startsIn = (window: TimeWindow, interval: RequestedInterval, zone: string): string[] =>
  bucketsOf(window, interval, new TimeZone(zone)).starts.map((start) => start.toISOString());

describe('the division of a window in a time zone', () => {
  it.each([
    [
      'days of 24 hours',
      'Europe/Berlin',
      '2026-03-02T05:00Z',
      '2026-03-04T00:00Z',
      ['03-01T23', '03-02T23', '03-03T23'],
    ],
    ['a day of 23 hours', 'Europe/Berlin', '2026-03-28T23:00Z', '2026-03-29T23:00Z', ['03-28T23', '03-29T22']],
    ['a day of 25 hours', 'Europe/Berlin', '2026-10-24T22:00Z', '2026-10-26T23:00Z', ['10-24T22', '10-25T23']],
    ['zones of 45 minutes', 'Asia/Kathmandu', '2026-03-02T00:00Z', '2026-03-03T00:00Z', ['03-01T18:15', '03-02T18:15']],
    [
      'a midnight that is skipped',
      'America/Sao_Paulo',
      '2018-11-03T12:00Z',
      '2018-11-05T02:00Z',
      ['11-03T03', '11-04T03'],
    ],
    [
      'a midnight that comes twice',
      'Atlantic/Azores',
      '2026-10-24T12:00Z',
      '2026-10-26T02:00Z',
      ['10-24T00', '10-25T00', '10-26T01'],
    ],
    [
      'a clock set back over midnight',
      'America/St_Johns',
      '2006-10-29T02:30:30Z',
      '2006-10-29T03:31Z',
      ['10-28T02:30', '10-29T03:30'],
    ],
    [
      'a day that was skipped',
      'Pacific/Apia',
      '2011-12-29T12:00Z',
      '2011-12-31T12:00Z',
      ['12-29T10', '12-30T10', '12-31T10'],
    ],
  ])('begins each day at local midnight: %s in %s', (_, zone, from, to, expected) => {
    const starts = startsIn(windowOf(from, to), 'day', zone);
    expect(starts.map((start) => start.slice(5, 16).replace(/:00$/, ''))).toEqual(expected);
  });

  it('begins weeks on local Monday', () => {
    const window = windowOf('2026-03-29T22:30Z', '2026-04-13T00:00Z');
    expect(startsIn(window, 'week', 'Europe/Berlin')).toEqual([
      '2026-03-29T22:00:00.000Z',
      '2026-04-05T22:00:00.000Z',
      '2026-04-12T22:00:00.000Z',
    ]);
    expect(startsIn(window, 'week', 'UTC').slice(0, 2)).toEqual([
      '2026-03-23T00:00:00.000Z',
      '2026-03-30T00:00:00.000Z',
    ]);
  });

  it('begins months and years on their first local day', () => {
    const months = bucketsOf(windowOf('2019-12-31T23:30Z', '2026-03-01'), 'auto', new TimeZone('Europe/Berlin'));
    expect([months.interval, months.starts.length]).toEqual(['month', 75]);
    expect(months.starts.slice(0, 4).map((start) => start.toISOString().slice(0, 13))).toEqual([
      '2019-12-31T23',
      '2020-01-31T23',
      '2020-02-29T23',
      '2020-03-31T22',
    ]);
    const years = bucketsOf(windowOf('1970-01-01', '2026-03-01'), 'auto', new TimeZone('America/New_York'));
    expect([years.interval, years.starts.length]).toEqual(['year', 58]);
    expect(years.starts.slice(0, 2).map((start) => start.toISOString().slice(0, 13))).toEqual([
      '1969-01-01T05',
      '1970-01-01T05',
    ]);
    expect(bucketsOf(windowOf('0001-01-01', '2027-01-01'), 'auto', UTC).starts).toHaveLength(2_026);
    expect(() => bucketsOf(windowOf('0001-01-01', '9999-12-31'), 'auto', UTC)).toThrow(ValidationError);
  });

  it('names the window that has too many intervals', () => {
    const told = (): unknown => bucketsOf(windowOf('1970-01-01', '2026-03-01'), 'day', UTC);
    const ctx = { error: {}, from_ts: '1970-01-01T00:00:00.000Z', to_ts: '2026-03-01T00:00:00.000Z' };
    expect(told).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ input: 'day', ctx })] }));
  });

  it.each([
    ['15 minutes', 900_000, 'minute'],
    ['2 hours', 2 * HOUR_MS, 'minute'],
    ['a little more', 2 * HOUR_MS + 1, 'hour'],
    ['7 days', 7 * DAY_MS, 'hour'],
    ['200 hours', 200 * HOUR_MS, 'hour'],
    ['a little more than 200 hours', 200 * HOUR_MS + 1, 'day'],
    ['200 days', 200 * DAY_MS, 'day'],
    ['201 days', 201 * DAY_MS, 'week'],
    ['3 years', 3 * 365 * DAY_MS, 'week'],
    ['4 years', 4 * 365 * DAY_MS, 'month'],
    ['16 years', 16 * 365 * DAY_MS, 'month'],
    ['56 years', 56 * 365 * DAY_MS, 'year'],
    ['2,000 years', 2_000 * 365 * DAY_MS, 'year'],
    ['nothing', 0, 'minute'],
  ])('chooses for %s (%d ms) the interval %s', (_, ms, interval) => {
    expect(bucketsOf(until('2026-03-02T00:00Z', ms), 'auto', UTC).interval).toBe(interval);
  });

  it.each([
    ['minute', 1_500 * 60_000],
    ['hour', 1_500 * HOUR_MS],
    ['day', 1_500 * DAY_MS],
    ['week', 1_500 * 7 * DAY_MS],
  ] as const)('divides into 1,500 buckets of %s at most', (interval, ms) => {
    expect(bucketsOf(until('2026-03-02T00:00Z', ms), interval, UTC).starts).toHaveLength(1_500);
    const longer = until('2026-03-02T00:00Z', ms + 1);
    expect(() => bucketsOf(longer, interval, UTC)).toThrow(ValidationError);
    expect(() => bucketsOf(windowOf('0001-01-01', '9999-12-31'), interval, UTC)).toThrow(ValidationError);
    const [divided] = [bucketsOf(until('2026-03-02T00:00Z', ms), interval, UTC)];
    expect(likeBucketsOf(longer, divided, UTC).starts).toHaveLength(1_501);
    expect(() => likeBucketsOf(windowOf('0001-01-01', '9999-12-31'), divided, UTC)).toThrow(RangeError);
  });

  it('runs without gaps from the bucket that holds the beginning to the last instant', () => {
    const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2031, 0) });
    const length = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(
        instant,
        length,
        fc.constantFrom('minute', 'hour', 'day', 'week'),
        fc.constantFrom(...ZONES),
        (from, count, interval, zone) => {
          const window = { from: new Date(from), to: new Date(from + count * LENGTH_MS[interval]) };
          const { starts } = bucketsOf(window, interval, zone);
          const times = starts.map((start) => start.getTime());
          expect(times[0]).toBeLessThanOrEqual(from);
          expect(times[1] ?? Infinity).toBeGreaterThan(from);
          expect(times.at(-1)).toBeLessThan(window.to.getTime());
          for (const [index, time] of times.entries()) if (index > 0) expect(time).toBeGreaterThan(times[index - 1]!);
        },
      ),
    );
  });

  it('counts each instant of the window in its bucket once and in no other', () => {
    const beginning = Date.UTC(2026, 2, 27);
    const instant = fc.integer({ min: beginning, max: beginning + 6 * DAY_MS });
    fc.assert(
      fc.property(
        instant,
        instant,
        instant,
        fc.constantFrom(...ZONES),
        fc.constantFrom('hour', 'day', 'week'),
        fc.array(instant, { maxLength: 20 }),
        (from, to, now, zone, interval, others) => {
          const window = { from: new Date(Math.min(from, to)), to: new Date(Math.max(from, to)) };
          const buckets = bucketsOf(window, interval, zone);
          const { hours, edges } = bucketCoverageOf(buckets, window, new Date(now));
          const marks = [...others, from, to, ...buckets.starts.map((start) => start.getTime())];
          for (const mark of marks.flatMap((one) => [one - 1, one, one + 1])) {
            const counted = new Map<number, number>();
            const covers = (part: TimeWindow): boolean => part.from.getTime() <= mark && mark < part.to.getTime();
            for (const part of hours) if (covers(part)) counted.set(part.bucket, (counted.get(part.bucket) ?? 0) + 1);
            for (const part of edges)
              if (covers(part)) counted.set(part.bucket, (counted.get(part.bucket) ?? 0) + part.sign);
            const inside = [...counted].filter(([, times]) => times !== 0);
            const bucket = buckets.starts.findLastIndex((start) => start.getTime() <= mark);
            expect(inside).toEqual(covers(window) ? [[bucket, 1]] : []);
          }
        },
      ),
    );
  });
});
