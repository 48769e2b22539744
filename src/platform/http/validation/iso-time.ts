const DAY_MS = 86_400_000;
const EARLIEST = -62_135_596_800_000;
const LATEST = 253_402_300_799_999;
// A Unix timestamp with a greater magnitude counts milliseconds, not seconds.
const SECONDS_LIMIT = 20_000_000_000;
const MAX_LENGTH = 100;
const NUMERIC = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
const CLOCK = /^[Tt _](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+\-\u2212])(\d\d):?(\d\d))?$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** A plus sign that is not escaped in a query arrives as a space. */
const BLANK_OFFSET = /\d \d\d:?\d\d$/;
const LOST_SIGN = 'timezone offset has no sign, write + as %2B in a URL';
const TRAILING = 'unexpected extra characters at the end of the input';

/**
 * A time as it was written. `local` is the local time, in milliseconds since 1970 as if it were UTC, and `offset` is
 * the offset of its zone in milliseconds.
 */
export interface WrittenTime {
  readonly local: number;
  readonly offset: number;
}

/**
 * Returns the time in milliseconds since 1970, or the reason why the text is not a time. A text without a zone is read
 * as UTC. Fractions are truncated to milliseconds.
 */
export function parseMoment(text: string): number | string {
  const written = parseWritten(text);
  if (typeof written === 'string') return written;
  const moment = written.local - written.offset;
  if (moment < EARLIEST) return 'year 0 is out of range';
  return moment > LATEST ? 'dates after 9999 are not supported' : moment;
}

/**
 * Returns milliseconds since 1970 for a Unix timestamp in seconds or milliseconds, or the reason why the number is out
 * of range.
 */
export function fromUnix(value: number): number | string {
  const unit = Math.abs(value) > SECONDS_LIMIT ? 1 : 1000;
  const whole = Math.floor(value);
  const micros = Math.round((value - whole) * unit * 1000);
  const moment = whole * unit + Math.floor(micros / 1000);
  if (moment > LATEST) return 'dates after 9999 are not supported as unix timestamps';
  return moment >= EARLIEST ? moment : 'year 0 is out of range';
}

/**
 * Returns the date `YYYY-MM-DD`, null for a time of day other than midnight, or `{ error }` for text that is not a
 * date.
 */
export function parseDate(text: string): string | null | { error: string } {
  const written = parseWritten(text);
  return typeof written === 'string' ? { error: written } : toDate(written.local);
}

export function dateFromUnix(value: number): string | null | { error: string } {
  const moment = fromUnix(value);
  return typeof moment === 'string' ? { error: moment } : toDate(moment);
}

function toDate(local: number): string | null {
  return local % DAY_MS === 0 ? new Date(local).toISOString().slice(0, 10) : null;
}

function parseWritten(text: string): WrittenTime | string {
  if (text.length <= MAX_LENGTH && NUMERIC.test(text)) {
    const moment = fromUnix(Number(text));
    return typeof moment === 'string' ? moment : { local: moment, offset: 0 };
  }
  const day = parseDay(text);
  if (typeof day === 'string') return day;
  if (text.length === 10) return { local: day, offset: 0 };
  const clock = text.length <= MAX_LENGTH ? CLOCK.exec(text.slice(10)) : null;
  if (!clock) return BLANK_OFFSET.test(text) ? LOST_SIGN : TRAILING;
  const [, hour, minute, second = '0', fraction = '', , sign, zoneHour = '0', zoneMinute = '0'] = clock;
  if (Number(hour) > 23) return 'hour value is outside expected range of 0-23';
  if (Number(minute) > 59) return 'minute value is outside expected range of 0-59';
  if (second === '60') return 'leap seconds are not supported, expected a second of 0-59';
  if (Number(second) > 59) return 'second value is outside expected range of 0-59';
  if (Number(zoneHour) > 23 || Number(zoneMinute) > 59) return 'timezone offset must be less than 24 hours';
  const time = Number(hour) * 3_600_000 + Number(minute) * 60_000 + Number(second) * 1000;
  const millis = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const zone = Number(zoneHour) * 3_600_000 + Number(zoneMinute) * 60_000;
  return { local: day + time + millis, offset: sign === undefined || sign === '+' ? zone : -zone };
}

function parseDay(text: string): number | string {
  if (text.length < 10) return 'input is too short';
  const year = number(text, 0, 4);
  if (year === undefined) return 'invalid character in year';
  if (text[4] !== '-') return 'invalid date separator, expected `-`';
  const month = number(text, 5, 7);
  if (month === undefined) return 'invalid character in month';
  if (text[7] !== '-') return 'invalid date separator, expected `-`';
  const day = number(text, 8, 10);
  if (day === undefined) return 'invalid character in day';
  if (month < 1 || month > 12) return 'month value is outside expected range of 1-12';
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
  if (day < 1 || day > last) return 'day value is outside expected range';
  if (year === 0) return 'year 0 is out of range';
  // Date.UTC reads years below 100 as 19xx, so the year is shifted by 400 years, which are a whole number of days.
  return Date.UTC(year + 400, month - 1, day) - 146_097 * DAY_MS;
}

function number(text: string, from: number, to: number): number | undefined {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
