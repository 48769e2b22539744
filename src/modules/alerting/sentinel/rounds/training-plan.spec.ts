import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesOfTracks, emptyTrack, fillTracks } from './training-points.js';
import { type HistoryHour, pieceFrom, reachOf } from './training-plan.js';

const HOUR = 12;
const SHARE = 20_000;
const at = (hour: number, rows: number): HistoryHour => ({ bucket: hour * HOUR, rows });

describe('the reach of a training', () => {
  it.each<[string, HistoryHour[], number, number]>([
    ['all hours that rollups cover', [at(9, 0), at(8, 0)], 0, 0],
    ['all hours that fit', [at(9, 60), at(8, 40)], 0, 100],
    ['up to the hour that does not fit', [at(9, 60), at(8, 41), at(7, 1)], 9 * HOUR, 60],
    ['nothing when the newest hour does not fit', [at(9, 101), at(8, 0)], 10 * HOUR, 0],
  ])('is limited by the budget of rows: %s', (_, hours, since, rows) => {
    expect(reachOf(hours, 0, 100)).toEqual({ since, rows });
  });
});

describe('a piece of a training', () => {
  it.each<[string, HistoryHour[], number, number]>([
    ['all of a small history', [at(9, 0), at(8, 5_000)], 10 * HOUR, 0],
    ['the hours that fit', [at(9, 9_000), at(8, 9_000), at(7, 9_000)], 10 * HOUR, 8 * HOUR],
    ['a part of an hour', [at(9, 79_950)], 10 * HOUR, 10 * HOUR - 3],
    ['the next part', [at(9, 79_950)], 10 * HOUR - 3, 10 * HOUR - 6],
    ['one bucket of an hour, even if it does not fit', [at(9, 9_000_000)], 10 * HOUR, 10 * HOUR - 1],
    ['the whole time when there are no events', [], 10 * HOUR, 0],
  ])('takes what fits into its share: %s', (_, hours, to, from) => {
    expect(pieceFrom(hours, { since: 0, to, series: 50 }, SHARE)).toBe(from);
  });

  it('covers with the other pieces the whole history once', () => {
    const histories = fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.nat(100_000)), { maxLength: 30 });
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 401 }), (some, series) => {
        const hours = [...new Map(some)].map(([hour, rows]) => at(hour, rows)).sort((a, b) => b.bucket - a.bucket);
        let to = 41 * HOUR;
        for (let pieces = 0; to > 0; pieces++) {
          const behind = hours.filter(({ bucket }) => bucket < to);
          const from = pieceFrom(behind, { since: 0, to, series }, SHARE);
          expect(from).toBeLessThan(to);
          expect(from).toBeGreaterThanOrEqual(0);
          // Whole hours of a piece fit into its share.
          const whole = behind.filter(({ bucket }) => bucket >= from && bucket + HOUR <= to);
          const price = whole.reduce((sum, { rows }) => sum + rows + series, 0);
          expect(whole.length <= 1 || price <= SHARE).toBe(true);
          expect(pieces).toBeLessThan(41 * HOUR);
          to = from;
        }
      }),
    );
  });

  it('is stored and read back unchanged', async () => {
    const list = fc.array(fc.integer({ min: -1, max: 2 ** 31 - 1 }), { minLength: 3, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(list, list, list, list), { minLength: 1, maxLength: 4 }), async (series) => {
        const tracks = series.map(([events, errors, measured, p95]) => ({
          first: 7,
          events: Int32Array.from(events),
          errors: Int32Array.from(errors),
          measured: Int32Array.from(measured),
          p95: Int32Array.from(p95),
        }));
        const longer = tracks.map(() => emptyTrack(5, 6));
        await fillTracks(longer, 7, await bytesOfTracks(tracks));
        for (const [index, track] of tracks.entries()) {
          expect([...(longer[index]?.events ?? [])]).toEqual([0, 0, ...track.events, 0]);
          expect([...(longer[index]?.p95 ?? [])]).toEqual([-1, -1, ...track.p95, -1]);
        }
      }),
    );
  });
});
