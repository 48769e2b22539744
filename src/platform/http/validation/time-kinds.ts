import { type Check, Fault, notFinite, withCheck, type Failure } from './fault.js';
import { dateFromUnix, fromUnix, parseDate, parseMoment } from './iso-time.js';
import type { CheckOptions, Kind } from './kind.js';

/** A moment as a Date: ISO 8601 text, or a Unix timestamp in seconds or milliseconds as a number or text. */
export function dateTime(options: CheckOptions<Date> = {}): Kind<Date> {
  const read = (value: unknown): Date | Failure => {
    // The value may already be a Date, because class-validator runs after class-transformer.
    if (value instanceof Date && !Number.isNaN(value.getTime())) return value;
    if (typeof value === 'string') {
      const moment = parseMoment(value);
      if (typeof moment === 'number') return new Date(moment);
      const msg = `Input should be a valid datetime or date, ${moment}`;
      return new Fault('datetime_from_date_parsing', msg, value, { error: moment });
    }
    if (typeof value !== 'number') return new Fault('datetime_type', 'Input should be a valid datetime', value);
    if (!Number.isFinite(value)) return notFinite(value);
    const moment = fromUnix(value);
    if (typeof moment === 'number') return new Date(moment);
    return new Fault('datetime_parsing', `Input should be a valid datetime, ${moment}`, value, { error: moment });
  };
  return { document: { type: 'string', format: 'date-time' }, build: () => withCheck(read, options.check) };
}

/** Returns a check that refuses a time that is not in the future, by the clock of the host. */
export function inFuture(name: string): Check<Date> {
  return (moment) => (moment.getTime() > Date.now() ? undefined : `${name} must lie in the future`);
}

/** Returns a check that refuses a time more than `hours` hours in the future, by the clock of the host. */
export function atMostAhead(name: string, hours: number): Check<Date> {
  return (moment) =>
    moment.getTime() <= Date.now() + hours * 3_600_000
      ? undefined
      : `${name} must not be more than ${hours} hours ahead`;
}

/** A calendar date as `YYYY-MM-DD`. Also accepts a date-time or timestamp at midnight. */
export function date(options: CheckOptions<string> = {}): Kind<string> {
  const read = (value: unknown): string | Failure => {
    if (typeof value !== 'string' && typeof value !== 'number') {
      return new Fault('date_type', 'Input should be a valid date', value);
    }
    if (typeof value === 'number' && !Number.isFinite(value)) return notFinite(value);
    const parsed = typeof value === 'string' ? parseDate(value) : dateFromUnix(value);
    if (typeof parsed === 'string') return parsed;
    if (parsed !== null) {
      const msg = `Input should be a valid date or datetime, ${parsed.error}`;
      return new Fault('date_from_datetime_parsing', msg, value, { error: parsed.error });
    }
    const msg = 'Datetimes provided to dates should have zero time - e.g. be exact dates';
    return new Fault('date_from_datetime_inexact', msg, value);
  };
  return { document: { type: 'string', format: 'date' }, build: () => withCheck(read, options.check) };
}
