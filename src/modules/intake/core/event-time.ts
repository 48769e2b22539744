import { ExactNumber } from '../../../platform/json/index.js';
import { parseMoment } from '../../../platform/http/validation/index.js';

/** Units of numeric times. A number below `below` has this unit, and `milliseconds` is the factor that converts it. */
const UNITS: readonly (readonly [below: number, milliseconds: number])[] = [
  [1e11, 1_000],
  [1e14, 1],
  [1e17, 1e-3],
  [Infinity, 1e-6],
];
const NUMERIC = /^[+-]?\d+(?:\.\d*)?$/;
/** `Sat, 28 Nov 2026 10:00:00 GMT`, as mail and HTTP write times. */
const RFC_2822 = /^(?:[A-Za-z]{3}, )?\d{1,2} [A-Za-z]{3} \d{4} \d{2}:\d{2}(?::\d{2})? (?:GMT|UTC|[+-]\d{4})$/;
const LATEST_MS = 253_402_300_799_999;
const EARLIEST_MS = -62_135_596_800_000;
const MAX_AHEAD_MS = 24 * 3_600_000;

/**
 * Reads a time as senders write it: ISO 8601 or RFC 2822 text, a Date, or seconds, ms, µs or ns since 1970 as a number
 * or its digits. Returns null for zero, which many protocols send for an unknown time, for a time that cannot be read,
 * and for a time more than 24 hours after `arrivedAt`.
 */
export function readTime(value: unknown, arrivedAt: Date): Date | null {
  const moment = momentOf(value);
  if (moment === null || !(moment >= EARLIEST_MS && moment <= LATEST_MS)) return null;
  return moment > arrivedAt.getTime() + MAX_AHEAD_MS ? null : new Date(moment);
}

function momentOf(value: unknown): number | null {
  if (value instanceof Date) return value.getTime();
  if (value instanceof ExactNumber) return fromNumber(value.toNumber());
  if (typeof value === 'number') return fromNumber(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (NUMERIC.test(text)) return fromNumber(Number(text));
  const moment = parseMoment(text);
  if (typeof moment === 'number') return moment;
  return RFC_2822.test(text) ? Date.parse(text) : null;
}

function fromNumber(value: number): number | null {
  if (value === 0 || !Number.isFinite(value)) return null;
  const [, milliseconds = 1] = UNITS.find(([below]) => Math.abs(value) < below) ?? [];
  return Math.floor(value * milliseconds);
}
