import { createContext, useContext, useMemo } from 'react';

/** The time zone of the browser. */
export const LOCAL_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The time zone in which a page shows times, by its IANA name. Pages outside of projects use that of the browser. */
export const Zone = createContext(LOCAL_ZONE);

const useZone = (): string => useContext(Zone);

type Format = (at: number | string) => string;

/** Functions that format moments in one time zone. A moment is an ISO text or milliseconds since 1970. */
export interface Clock {
  readonly zone: string;
  /** Date and time with seconds. */
  readonly full: Format;
  /** Date and time with seconds, without the year. */
  readonly short: Format;
  /** Date and time without seconds and year. */
  readonly minute: Format;
  readonly day: Format;
  /** The day of the week and the date. */
  readonly date: Format;
  readonly month: Format;
  readonly shortMonth: Format;
  readonly year: Format;
  readonly time: Format;
  readonly timeWithSeconds: Format;
}

const DAY_MONTH = { day: 'numeric', month: 'short' } as const;
const HOUR_MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const WITH_SECONDS = { ...HOUR_MINUTE, second: '2-digit' } as const;

/** Making a formatter takes longer than using it a hundred times. */
const clocks = new Map<string, Clock>();

export function clockOf(zone: string): Clock {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const format = (options: Intl.DateTimeFormatOptions): Format => {
    const formatter = new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone });
    return (at) => formatter.format(new Date(at));
  };
  const clock: Clock = {
    zone,
    full: format({ ...DAY_MONTH, year: 'numeric', ...WITH_SECONDS }),
    short: format({ ...DAY_MONTH, ...WITH_SECONDS }),
    minute: format({ ...DAY_MONTH, ...HOUR_MINUTE }),
    day: format(DAY_MONTH),
    date: format({ weekday: 'short', ...DAY_MONTH, year: 'numeric' }),
    month: format({ month: 'long', year: 'numeric' }),
    shortMonth: format({ month: 'short', year: 'numeric' }),
    year: format({ year: 'numeric' }),
    time: format(HOUR_MINUTE),
    timeWithSeconds: format(WITH_SECONDS),
  };
  clocks.set(zone, clock);
  return clock;
}

export function useClock(): Clock {
  const zone = useZone();
  return useMemo(() => clockOf(zone), [zone]);
}

const walls = new Map<string, Intl.DateTimeFormat>();

/** Returns how far the clocks of the zone are ahead of UTC at a moment, in milliseconds. */
export function offsetAt(at: number, zone: string): number {
  let wall = walls.get(zone);
  if (wall === undefined) {
    wall = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    walls.set(zone, wall);
  }
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of wall.formatToParts(at)) parts[type] = Number(value);
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

/**
 * Returns the moment at which the clocks of the zone show a time. A time that they show twice is the first of the two,
 * and a time that they leave out is as much later. @param wall the time as if it were UTC, in milliseconds
 */
export function momentOf(wall: number, zone: string): number {
  const guess = wall - offsetAt(wall, zone);
  const better = wall - offsetAt(guess, zone);
  return better + offsetAt(better, zone) === wall ? better : Math.max(guess, better);
}

/** Returns a moment as a browser's input for dates and times takes it: the clock of the zone, to the minute. */
export function wallOf(at: number, zone: string): string {
  return new Date(at + offsetAt(at, zone)).toISOString().slice(0, 16);
}

/** Returns the moment that a browser's input for dates and times shows. */
export function isoOf(wall: string, zone: string): string {
  return new Date(momentOf(Date.parse(`${wall}Z`), zone)).toISOString();
}

/** Formats the offset of a zone, such as "UTC+5:45". */
export function offsetName(zone: string, at: number): string {
  const minutes = Math.round(offsetAt(at, zone) / 60_000);
  if (minutes === 0) return 'UTC';
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** Returns the last part of a zone's name, such as "New York". */
export function placeOf(zone: string): string {
  return zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

/** Whether a day of the zone begins at a moment. @param at milliseconds since 1970 */
export function isMidnight(at: number, zone: string): boolean {
  return (at + offsetAt(at, zone)) % DAY_MS === 0;
}

const DAY_MS = 86_400_000;
/** The usual length of a month. */
const MONTH_MS = 30.4 * DAY_MS;
/** The first Monday since 1970, in days. Steps of weeks begin on Mondays. */
const MONDAY = 4;

/**
 * Returns the moments between two others at which labels of a time axis stand: whole steps of the zone's clocks. Steps
 * of a month or more are whole months. All values are seconds.
 */
export function ticksOf(first: number, last: number, step: number, zone: string): number[] {
  const begin = first * 1000;
  const wallAt = stepsFrom(begin + offsetAt(begin, zone), step * 1000);
  const ticks: number[] = [];
  const momentAt = (index: number): number => momentOf(wallAt(index), zone);
  for (let index = 0, at = momentAt(0); at <= last * 1000; index += 1, at = momentAt(index)) {
    // A time that the clocks leave out is the moment of the next step.
    if (at >= begin && at / 1000 !== ticks.at(-1)) ticks.push(at / 1000);
  }
  return ticks;
}

/** Returns a function that returns the nth whole step, of which the first is not after a time. All are milliseconds. */
function stepsFrom(first: number, step: number): (index: number) => number {
  const months = Math.round(step / MONTH_MS);
  if (months > 0) {
    const date = new Date(first);
    const month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
    const begin = Math.floor(month / months) * months;
    return (index) => Date.UTC(1970, begin + index * months);
  }
  const origin = step % (7 * DAY_MS) === 0 ? MONDAY * DAY_MS : 0;
  const begin = Math.floor((first - origin) / step) * step + origin;
  return (index) => begin + index * step;
}
