import { decimal, share, whole } from '../numbers.js';

/** The unit of the values of a chart. A share is 1 for 100 %. */
export type Unit = 'count' | 'number' | 'ms' | 'share';

type Format = (value: number) => string;

const SHORT_ENDINGS = [
  { from: 1e9, ending: 'G' },
  { from: 1e6, ending: 'M' },
  { from: 1e3, ending: 'k' },
] as const;

/** Formats a number with at most two decimals, such as "12.5k". */
function short(value: number): string {
  const found = SHORT_ENDINGS.find(({ from }) => Math.abs(value) >= from);
  return found === undefined ? decimal(value) : `${decimal(value / found.from)}${found.ending}`;
}

function time(ms: number): string {
  return Math.abs(ms) < 1_000 ? `${decimal(ms)} ms` : `${short(ms / 1_000)} s`;
}

const EXACT: Readonly<Record<Unit, Format>> = {
  count: (value) => (Number.isInteger(value) ? whole(value) : decimal(value)),
  number: decimal,
  ms: time,
  share,
};
const SHORT: Readonly<Record<Unit, Format>> = { count: short, number: short, ms: time, share };

/** Formats a value for a tooltip or a table. Null is a bucket without a value. */
export function exactOf(unit: Unit, value: number | null): string {
  return value === null ? '–' : EXACT[unit](value);
}

/** Formats a value for an axis. */
export function shortOf(unit: Unit, value: number): string {
  // The label of a step such as 0.0005 needs more decimals than other numbers.
  if (value !== 0 && Math.abs(value) < 0.01 && unit !== 'share') return String(Number(value.toPrecision(2)));
  return SHORT[unit](value);
}

const SMALLEST_POWER = -9;
const LARGEST_POWER = 15;

/** Returns the distances that labels of the value axis may have: 1, 2 and 5 times the powers of ten. */
export function stepsOf(unit: Unit): number[] {
  const first = unit === 'count' ? 0 : SMALLEST_POWER;
  return Array.from({ length: LARGEST_POWER - first + 1 }, (_, index) => first + index).flatMap((power) =>
    [1, 2, 5].map((factor) => Number(`${factor}e${power}`)),
  );
}
