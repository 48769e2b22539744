import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY_BUCKETS, WEEK_BUCKETS } from '../baseline/buckets.js';
import { isLearning, type Profile, profileOf } from '../baseline/profile.js';
import type { Track } from '../baseline/track.js';
import { type Assessment, type Level } from './assessment.js';
import { assessDistinctValues } from './distinct-values.js';
import { assessErrors } from './errors.js';
import { assessLatency } from './latency.js';
import { assessDrop, assessSpike } from './rates.js';
import { assessSilence } from './silence.js';

/** A Monday at noon, UTC. */
const NOON = Date.UTC(2026, 2, 2, 12) / 300_000;

interface Steady {
  readonly events?: number;
  readonly errors?: number;
  readonly p95?: number;
  readonly days?: number;
}

/** Returns a track of equal days up to noon, followed by the given buckets, and the profile of these days. */
function history(
  { events = 10, errors = 0, p95 = 100, days = 5 }: Steady,
  then: Partial<Record<'events' | 'errors' | 'measured' | 'p95', number[]>> = {},
) {
  const first = NOON - days * DAY_BUCKETS;
  const list = (usual: number, behind: number[] = []): Int32Array =>
    Int32Array.from({ length: days * DAY_BUCKETS + 24 }, (_, index) => behind[index - days * DAY_BUCKETS] ?? usual);
  const track: Track = {
    first,
    events: list(events, then.events),
    errors: list(errors, then.errors),
    measured: list(events, then.measured),
    p95: list(p95, then.p95),
  };
  return { track, profile: profileOf(track, NOON) };
}

describe('a spike', () => {
  it.each<[number, number, number, Level]>([
    // The columns are: usual, actual, raised, level.
    [10, 100, 1, 'told'],
    [10, 99, 1, 'unusual'],
    [10, 29, 1, 'normal'],
    [4, 49, 1, 'unusual'],
    [4, 50, 1, 'told'],
    [0.01, 50, 1, 'told'],
    [10, 149, 1.5, 'unusual'],
    [10, 150, 1.5, 'told'],
  ])('rises from %d to %d events, with bounds raised %d times, at the level "%s"', (usual, actual, raised, level) => {
    const { track, profile } = history({ events: usual }, { events: [actual] });
    expect(assessSpike(track, profile, NOON, raised)).toMatchObject({ level, actual });
  });

  it('is critical from thirty times on', () => {
    const severity = (actual: number): string => {
      const { track, profile } = history({}, { events: [actual] });
      return assessSpike(track, profile, NOON, 1).severity;
    };
    expect([severity(299), severity(300)]).toEqual(['warning', 'critical']);
  });

  it.each([
    [1, 'told'],
    [2, 'normal'],
  ])('occurs in %d of four weeks at the level "%s"', (weeks, level) => {
    const { track } = history({ days: 28 }, { events: [100] });
    for (let week = 1; week <= weeks; week++) track.events[NOON - week * WEEK_BUCKETS + 3 - track.first] = 100;
    expect(assessSpike(track, profileOf(track, NOON), NOON, 1).level).toBe(level);
  });

  it('is a candidate between three and ten times, once a week is known', () => {
    const level = (days: number): Level => {
      const { track, profile } = history({ events: 20, days }, { events: [120] });
      return assessSpike(track, profile, NOON, 1).level;
    };
    expect([level(6), level(8)]).toEqual(['unusual', 'candidate']);
  });
});

describe('a drop', () => {
  it.each<[number, number[], number, Level]>([
    // The columns are: usual in a bucket, the three buckets, raised, level.
    [20, [4, 4, 4], 1, 'told'],
    [20, [5, 4, 4], 1, 'unusual'],
    [20, [10, 10, 10], 1, 'normal'],
    [19, [0, 0, 1], 1, 'unusual'],
    [6, [0, 0, 0], 1, 'normal'],
    [30, [4, 4, 4], 1.5, 'told'],
    [30, [4, 4, 5], 1.5, 'unusual'],
    [30, [10, 10, 10], 1.5, 'normal'],
  ])('falls from %d to %j events, with bounds raised %d times, at the level "%s"', (usual, buckets, _raised, level) => {
    const { track, profile } = history({ events: usual }, { events: buckets });
    expect(assessDrop(track, profile, NOON + 2, _raised).level).toBe(level);
  });
});

describe('silence', () => {
  const silence = (profile: Profile, buckets: number): Level =>
    assessSilence({ since: buckets === 0 ? null : NOON }, profile, NOON + buckets - 1, 1, 'critical').level;

  it('is told after a quarter of an hour in which twenty events were expected', () => {
    const { profile } = history({ events: 7 });
    expect([0, 1, 2, 3].map((buckets) => silence(profile, buckets))).toEqual(['normal', 'unusual', 'unusual', 'told']);
  });

  it('waits until twenty were expected', () => {
    const { profile } = history({ events: 1 });
    expect([19, 20].map((buckets) => silence(profile, buckets))).toEqual(['unusual', 'told']);
  });

  it('waits for three times the longest gap, so what comes once an hour is not silent', () => {
    const { track } = history({ events: 0, days: 6 });
    for (let index = 0; index < track.events.length; index += 12) track.events[index] = 40;
    const profile = profileOf(track, NOON);
    expect(profile.longestGap).toBe(11);
    expect([11, 32, 33].map((buckets) => silence(profile, buckets))).toEqual(['unusual', 'unusual', 'told']);
  });

  it('is usual at night', () => {
    const { track } = history({ events: 20, days: 8 });
    for (let index = 0; index < track.events.length; index++) {
      const hour = ((track.first + index) % DAY_BUCKETS) / 12;
      if (hour < 6 || hour >= 22) track.events[index] = 0;
    }
    const night = NOON + 10 * 12;
    const profile = profileOf(track, NOON);
    const level = assessSilence({ since: night }, profile, night + 8 * 12 - 1, 1, 'critical').level;
    expect(level).toBe('unusual');
  });
});

describe('a burst of errors', () => {
  it.each<[number, number, number, Level]>([
    // The columns are: usual errors in 100 events, events, errors, level.
    [2, 100, 22, 'told'],
    [2, 90, 20, 'told'],
    [2, 100, 21, 'unusual'],
    [2, 100, 11, 'normal'],
    [5, 100, 24, 'unusual'],
    [5, 100, 25, 'told'],
    [0, 9, 9, 'normal'],
    [0, 10, 10, 'told'],
    [40, 100, 100, 'unusual'],
  ])(
    'rises from %d errors in 100 events: %d events with %d errors have the level "%s"',
    (usual, events, errors, level) => {
      const { track, profile } = history({ events: 100, errors: usual }, { events: [events], errors: [errors] });
      expect(assessErrors(track, profile, NOON, 1).level).toBe(level);
    },
  );

  it('is critical from half of the events on', () => {
    const { track, profile } = history({ events: 100 }, { errors: [49, 50] });
    expect([NOON, NOON + 1].map((bucket) => assessErrors(track, profile, bucket, 1).severity)).toEqual([
      'warning',
      'critical',
    ]);
  });
});

describe('a shift of latency', () => {
  it.each<[number, number[], number[], Level]>([
    // The columns are: usual, the three buckets, measured events in them, level.
    [100, [300, 300, 300], [30, 30, 30], 'told'],
    [100, [300, 299, 300], [30, 30, 30], 'unusual'],
    [100, [300, 300, 300], [30, 29, 30], 'unusual'],
    [100, [300, 300, 149], [30, 30, 30], 'normal'],
    [20, [69, 69, 69], [30, 30, 30], 'normal'],
    [20, [70, 70, 70], [30, 30, 30], 'told'],
  ])('moves p95 from %d ms to %j ms, with %j events measured, at the level "%s"', (usual, p95, measured, level) => {
    const { track, profile } = history({ events: 40, p95: usual }, { p95, measured });
    expect(assessLatency(track, profile, NOON + 2, 1).level).toBe(level);
  });

  it('is not seen where nothing was measured before', () => {
    const { track, profile } = history({ events: 29 }, { p95: [900, 900, 900], measured: [40, 40, 40] });
    expect(assessLatency(track, profile, NOON + 2, 1).level).toBe('normal');
  });
});

describe('a number of distinct values', () => {
  it.each<[number, number | null, Level]>([
    [50, 10, 'told'],
    [49, 9, 'unusual'],
    [50, 11, 'unusual'],
    [19, 2, 'normal'],
    [39, 20, 'normal'],
    [500, null, 'normal'],
    [50, 0, 'told'],
  ])('rises to %d from at most %s at the level "%s"', (values, most, level) => {
    expect(assessDistinctValues(values, most, 1).level).toBe(level);
  });
});

describe('a series', () => {
  it.each([
    [3, 100, false],
    [2, 100, true],
    [3, 0, true],
  ])('is learning with %d days of %d events in a bucket: %s', (days, events, learns) => {
    expect(isLearning(history({ events, days }).profile, NOON)).toBe(learns);
  });

  it('learns until three days have events, however old the first event is', () => {
    const { track } = history({ events: 100, days: 28 });
    track.events.fill(0, 1, NOON - 2 * DAY_BUCKETS - track.first);
    expect(isLearning(profileOf(track, NOON), NOON)).toBe(false);
    track.events.fill(0, 1, NOON - DAY_BUCKETS - track.first);
    const learning = profileOf(track, NOON);
    expect([isLearning(learning, NOON), learning.since]).toEqual([true, NOON - 2 * DAY_BUCKETS]);
  });

  it.each([1, 2, 3, 4, 5, 6])('takes a new level for usual after a day, and no other on day %d', (days) => {
    for (const [before, after] of [
      [100, 1_000],
      [1_000, 100],
    ] as const) {
      const { track } = history({ events: before, days: 12 });
      track.events.fill(after, NOON - days * DAY_BUCKETS - track.first);
      const profile = profileOf(track, NOON);
      expect(assessSpike(track, profile, NOON, 1).level).toBe('normal');
      expect(assessDrop(track, profile, NOON + 2, 1).level).toBe('normal');
      expect([...profile.high, ...profile.low].every((value) => value >= 99 && value <= 1_001)).toBe(true);
    }
  });

  it('is evaluated within bounds whatever its history was, and the same each time', () => {
    const count = fc.oneof({ weight: 4, arbitrary: fc.nat(50) }, fc.constant(0), fc.nat(2_000_000_000));
    const metrics = fc.record({
      events: count,
      errors: count,
      measured: count,
      p95: fc.integer({ min: -1, max: 100_000 }),
    });
    fc.assert(
      fc.property(
        fc.array(metrics, { minLength: 1, maxLength: 60 }),
        fc.nat(40),
        fc.constantFrom(1, 1.5, 3.375),
        (values, days, raised) => {
          const length = days * DAY_BUCKETS + 3;
          const list = (name: 'events' | 'errors' | 'measured' | 'p95'): Int32Array =>
            Int32Array.from({ length }, (_, index) => {
              const value = values[(index * 7) % values.length];
              return name === 'errors' ? Math.min(value?.errors ?? 0, value?.events ?? 0) : (value?.[name] ?? 0);
            });
          const track = {
            first: NOON - days * DAY_BUCKETS,
            events: list('events'),
            errors: list('errors'),
            measured: list('measured'),
            p95: list('p95'),
          };
          const detect = (): Assessment[] => {
            const profile = profileOf(track, NOON);
            return [
              assessSpike(track, profile, NOON, raised),
              assessDrop(track, profile, NOON + 2, raised),
              assessSilence({ since: NOON - 5 }, profile, NOON, raised, 'warning'),
              assessErrors(track, profile, NOON, raised),
              assessLatency(track, profile, NOON + 2, raised),
            ];
          };
          for (const { score, actual, expected, lower, upper } of detect()) {
            for (const figure of [actual, expected, lower, upper]) expect(figure).toBeGreaterThanOrEqual(0);
            expect(score).toBeGreaterThanOrEqual(0);
            expect(score).toBeLessThanOrEqual(1);
            expect(Number.isFinite(upper)).toBe(true);
          }
          expect(detect()).toEqual(detect());
        },
      ),
      { numRuns: 40 },
    );
  });
});
