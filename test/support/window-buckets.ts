const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/**
 * The offsets of all current time zones are multiples of this, so each local day begins at a quarter of an hour of UTC.
 */
const QUARTER_MS = 15 * MINUTE_MS;

type WindowInterval = 'minute' | 'hour' | 'day' | 'week';

/** Returns the interval that `auto` chooses for a window of a few days. */
export function automaticInterval(from: number, to: number): WindowInterval {
  return to - from <= 2 * HOUR_MS ? 'minute' : 'hour';
}

/**
 * Returns the expected start times of the buckets that overlap a window. Minutes and hours are those of UTC, days and
 * weeks those of the time zone. The function steps through each quarter of an hour, so the window must be short, and
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

/** Returns a function that maps a step to its bucket. */
function bucketsOf(interval: WindowInterval, timezone: string): (at: number) => number {
  if (interval === 'minute' || interval === 'hour') return (at) => at;
  // The Swedish date format is that of ISO 8601.
  const dates = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone, dateStyle: 'short' });
  const dayAt = (at: number): number => Date.parse(dates.format(at));
  if (interval === 'day') return dayAt;
  return (at) => {
    const day = dayAt(at);
    const daysSinceMonday = (new Date(day).getUTCDay() + 6) % 7;
    return day - daysSinceMonday * DAY_MS;
  };
}
