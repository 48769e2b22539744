import { describe, expect, it } from '@jest/globals';
import { type CountedHour, ScanStretches, MOST_HOURS } from './scan-stretches.js';

const locator = (hour: number, id = '00000000-0000-0000-0000-000000000000') => ({
  timestamp: new Date(hour * 3_600_000),
  id,
});
const ends = new ScanStretches([
  { hour: 90, events: 10 },
  { hour: 70, events: 20 },
  { hour: 69, events: 500 },
  { hour: 3, events: 1 },
]);

describe('the end of a stretch', () => {
  it.each([
    ['at the last hour that fits', 91, 30, locator(70)],
    ['from the middle of an hour, which counts in full', 90.5, 29, locator(90)],
    ['from the end of an hour, which counts, and not from the hour that begins there', 90, 29, locator(70)],
    ['unknown when the next hour has too many rows', 70, 499, undefined],
    ['unknown when the rest of the hour has too many rows', 69.5, 499, undefined],
    ['none when the rest fits', 70, 501, null],
    ['none when nothing is left', 3, 5, null],
  ])('is found by the counts of the hours: %s', (_, hour, rows, end) => {
    expect(ends.next(locator(hour, 'ffffffff-0000-0000-0000-000000000000'), rows)).toEqual(end);
  });

  it('is unknown beyond the hours that were counted', () => {
    const hours: CountedHour[] = Array.from({ length: MOST_HOURS }, (_, at) => ({
      hour: 20_000 - at,
      events: 1,
    }));
    const many = new ScanStretches(hours);
    expect(many.next(locator(20_001), 1e9)).toEqual(locator(20_000 - MOST_HOURS + 1));
    expect(many.next(locator(20_000 - MOST_HOURS + 1), 1e9)).toBeUndefined();
  });
});
