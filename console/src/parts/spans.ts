import type { Schemas } from '@operational-events/client';
import type { Window } from '../api/insight.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export const RANGE_NAMES: readonly { readonly value: Schemas['Range']; readonly label: string }[] = [
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: 'all', label: 'All time' },
];

const LENGTHS_MS: Readonly<Record<Schemas['Range'], number>> = {
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
  all: Infinity,
};

/** Two moments, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Returns the moments of a window. Null for all time, which has no beginning. */
export function spanOf({ range = '24h', from, to }: Window, now: number): Span | null {
  if (from !== undefined && to !== undefined) return { from: Date.parse(from), to: Date.parse(to) };
  return range === 'all' ? null : { from: now - LENGTHS_MS[range], to: now };
}

/** Undefined: it would begin before 1970. */
function windowBetween(from: number, to: number): Window | undefined {
  return from < 0 ? undefined : { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

/** Returns the window before this one, of the same length. */
export function earlier(window: Window, now: number): Window | undefined {
  const span = spanOf(window, now);
  return span === null ? undefined : windowBetween(2 * span.from - span.to, span.from);
}

/** Returns the window after this one. One that would end in the future is the range that ends now. */
export function later(window: Window, now: number): Window | undefined {
  const span = spanOf(window, now);
  if (span === null || span.to >= now) return undefined;
  const length = span.to - span.from;
  if (span.to + length < now) return windowBetween(span.to, span.to + length);
  const range = RANGE_NAMES.find(({ value }) => LENGTHS_MS[value] === length)?.value;
  return range === undefined ? windowBetween(now - length, now) : { range };
}

/** Returns a longer window: the next range, or one of twice the length around the same middle. */
export function wider(window: Window, now: number): Window | undefined {
  const span = spanOf(window, now);
  if (span === null) return undefined;
  if (window.from === undefined) {
    const next = RANGE_NAMES.findIndex(({ value }) => value === (window.range ?? '24h')) + 1;
    return { range: RANGE_NAMES[next]?.value };
  }
  const half = (span.to - span.from) / 2;
  const to = Math.max(span.to, Math.min(now, span.to + half));
  return windowBetween(to - 4 * half, to);
}
