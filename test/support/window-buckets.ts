const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The offsets of all time zones of today are multiples of it, so each local day begins with a quarter of an hour of UTC. */
const QUARTER_MS = 15 * MINUTE_MS;

type WindowInterval = 'minute' | 'hour' | 'day' | 'week';

/** What `auto` divides a window of a few days into. */
export function automaticInterval(from: number, to: number): WindowInterval {
  return to - from <= 2 * HOUR_MS ? 'minute' : 'hour';
}

/**
 * The beginnings of the buckets that have a part in a window, as the service is expected to give them: minutes and hours are
 * those of UTC, days and weeks those of the time zone. It looks at each quarter of an hour, so the window is to be short, and
 * recent enough for {@link QUARTER_MS}.
 */
export function bucketStarts(from: number, to: number, interval: WindowInterval, timezone: string): Date[] {
  if (from >= to) return [];
  const step = { minute: MINUTE_MS, hour: HOUR_MS, day: QUARTER_MS, week: QUARTER_MS }[interval];
  const bucketAt = bucketsOf(interval, timezone);
  let first = Math.floor(from / step) * step;
  while (bucketAt(first - step) === bucketAt(first)) first -= step;
  const starts = [new Date(first)];
  for (let at = first + step; at < to; at += step) {
    if (bucketAt(at) !== bucketAt(at - step)) starts.push(new Date(at));
  }
  return starts;
}

/** Tells the bucket that a step is in. */
function bucketsOf(interval: WindowInterval, timezone: string): (at: number) => number {
  if (interval === 'minute' || interval === 'hour') return (at) => at;
  // Swedish dates are those of ISO 8601.
  const dates = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  const dayAt = (at: number): number => Date.parse(dates.format(at));
  if (interval === 'day') return dayAt;
  return (at) => {
    const day = dayAt(at);
    const daysSinceMonday = (new Date(day).getUTCDay() + 6) % 7;
    return day - daysSinceMonday * DAY_MS;
  };
}
