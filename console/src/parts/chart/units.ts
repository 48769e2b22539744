import { decimal, share } from '../numbers.js';

/** The unit of the values of a chart. A share is 1 for 100 %. */
export type Unit = 'count' | 'number' | 'ms' | 'share';

type Format = (value: number) => string;

const SMALL = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const SMALL_SHARE = new Intl.NumberFormat(undefined, { style: 'percent', maximumSignificantDigits: 3 });

/** Formats a number with two decimals, and one below 1 with three digits, so that it does not read 0. */
const plain: Format = (value) => (Math.abs(value) < 1 ? SMALL.format(value) : decimal(value));
const percent: Format = (value) => (Math.abs(value) < 0.01 ? SMALL_SHARE.format(value) : share(value));

const SHORT_ENDINGS = [
  { from: 1e9, ending: 'G' },
  { from: 1e6, ending: 'M' },
  { from: 1e3, ending: 'k' },
] as const;

/** Formats a number with its thousands as a letter, such as "12.5k". */
function short(value: number): string {
  const found = SHORT_ENDINGS.find(({ from }) => Math.abs(value) >= from);
  return found === undefined ? plain(value) : `${decimal(value / found.from)}${found.ending}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

function time(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1_000) return exactTime(ms);
  if (size < MINUTE_MS) return `${decimal(ms / 1_000)} s`;
  return size < HOUR_MS ? `${decimal(ms / MINUTE_MS)} min` : `${short(ms / HOUR_MS)} h`;
}

function exactTime(ms: number): string {
  return `${plain(ms)} ms`;
}

const EXACT: Readonly<Record<Unit, Format>> = { count: plain, number: plain, ms: exactTime, share: percent };
const SHORT: Readonly<Record<Unit, Format>> = { count: short, number: short, ms: time, share: percent };

/** Formats a value for a tooltip or a table. Null is a bucket without a value. */
export function exactOf(unit: Unit, value: number | null): string {
  return value === null ? '–' : EXACT[unit](value);
}

/** Formats a value for an axis. */
export function shortOf(unit: Unit, value: number): string {
  return SHORT[unit](value);
}

const SMALLEST_POWER = -9;
const LARGEST_POWER = 15;

/** Returns the distances that labels of the value axis may have: 1, 2 and 5 times the powers of ten. */
export function stepsOf(unit: Unit): number[] {
  const first = unit === 'count' ? 0 : SMALLEST_POWER;
  const steps = Array.from({ length: LARGEST_POWER - first + 1 }, (_, index) => first + index).flatMap((power) =>
    [1, 2, 5].map((factor) => Number(`${factor}e${power}`)),
  );
  if (unit !== 'ms') return steps;
  return [
    ...steps.filter((ms) => ms <= 20_000),
    ...[1, 2, 5, 10, 20].map((minutes) => minutes * MINUTE_MS),
    ...steps.filter((hours) => hours >= 1).map((hours) => hours * HOUR_MS),
  ];
}
