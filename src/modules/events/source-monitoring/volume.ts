import type { SourceVolume } from '../event-store/index.js';

export const STATS_RANGES = ['24h', '7d', '30d'] as const;
export type StatsRange = (typeof STATS_RANGES)[number];
export const INTERVALS = ['hour', 'day'] as const;
export type Interval = (typeof INTERVALS)[number];

const HOUR_MS = 3_600_000;
const LENGTH_MS: Readonly<Record<Interval, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS };
const RANGE_MS: Readonly<Record<StatsRange, number>> = {
  '24h': 24 * HOUR_MS,
  '7d': 7 * 24 * HOUR_MS,
  '30d': 30 * 24 * HOUR_MS,
};

/**
 * Returns a window of whole UTC hours or days, from the one that contains the start of the range to the one that
 * contains now. `to` is exclusive.
 */
export function statsWindow(range: StatsRange, interval: Interval, now: Date): { from: Date; to: Date } {
  const length = LENGTH_MS[interval];
  return {
    from: startOf(interval, new Date(now.getTime() - RANGE_MS[range])),
    to: new Date(startOf(interval, now).getTime() + length),
  };
}

function startOf(interval: Interval, at: Date): Date {
  const length = LENGTH_MS[interval];
  return new Date(Math.floor(at.getTime() / length) * length);
}

/** Returns one entry for each hour or day of the window, with zeroes where there were no events. */
export function withZeroes(
  known: readonly SourceVolume[],
  { from, to }: { readonly from: Date; readonly to: Date },
  interval: Interval,
): SourceVolume[] {
  const byTime = new Map(known.map((volume) => [volume.ts.getTime(), volume]));
  const series: SourceVolume[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += LENGTH_MS[interval]) {
    const { events = 0, errors = 0 } = byTime.get(at) ?? {};
    series.push({ ts: new Date(at), events, errors });
  }
  return series;
}
