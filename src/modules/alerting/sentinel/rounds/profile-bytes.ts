import { HOURS_A_WEEK } from '../baseline/buckets.js';
import type { HourFigure, Profile } from '../baseline/profile.js';

const LISTS = ['high', 'low', 'flow', 'spread', 'seen', 'latency'] as const satisfies readonly HourFigure[];
const FIGURES = ['until', 'since', 'total', 'dispersion', 'errorRate', 'longestGap'] as const;

/**
 * The sizes of a stored profile: its figures are followed by its lists, each with a value for each hour of the week.
 */
export const LAYOUT = {
  figures: FIGURES.length * Float64Array.BYTES_PER_ELEMENT,
  lists: LISTS.length,
  list: HOURS_A_WEEK * Float32Array.BYTES_PER_ELEMENT,
  value: Float32Array.BYTES_PER_ELEMENT,
} as const;

/** Returns a whole profile as it is stored. Numbers are little-endian. */
export function bytesOf(profile: Profile): Buffer {
  const bytes = Buffer.alloc(LAYOUT.figures + LAYOUT.lists * LAYOUT.list);
  let at = 0;
  for (const name of FIGURES) at = bytes.writeDoubleLE(profile[name], at);
  for (const name of LISTS) for (const value of profile[name]) at = bytes.writeFloatLE(value, at);
  return bytes;
}

/**
 * @param bytes the figures, followed by the lists, each with as many hours from `firstHour` on as there are bytes for
 */
export function profileFrom(bytes: Buffer, firstHour = 0): Profile {
  const hours = (bytes.length - LAYOUT.figures) / LAYOUT.value / LAYOUT.lists;
  const figure = (name: (typeof FIGURES)[number]): number =>
    bytes.readDoubleLE(FIGURES.indexOf(name) * Float64Array.BYTES_PER_ELEMENT);
  const list = (name: HourFigure): number[] => {
    const start = LAYOUT.figures + LISTS.indexOf(name) * hours * LAYOUT.value;
    return Array.from({ length: hours }, (_, hour) => bytes.readFloatLE(start + hour * LAYOUT.value));
  };
  return {
    until: figure('until'),
    since: figure('since'),
    total: figure('total'),
    dispersion: figure('dispersion'),
    errorRate: figure('errorRate'),
    longestGap: figure('longestGap'),
    firstHour,
    high: list('high'),
    low: list('low'),
    flow: list('flow'),
    spread: list('spread'),
    seen: list('seen'),
    latency: list('latency'),
  };
}
