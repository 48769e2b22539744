import { HOURS_A_WEEK } from '../baseline/buckets.js';
import type { Profile } from '../baseline/profile.js';

const LISTS = ['high', 'low', 'flow', 'spread', 'seen', 'latency'] as const;
const FIGURES = ['until', 'since', 'total', 'dispersion', 'errorRate', 'longestGap'] as const;
const FIGURE_BYTES = FIGURES.length * Float64Array.BYTES_PER_ELEMENT;

/** A profile as it is stored: its figures, then its lists. */
export function bytesOf(profile: Profile): Buffer {
  const figures = Float64Array.from(FIGURES, (name) => profile[name]);
  const lists = LISTS.map((name) =>
    Buffer.from(profile[name].buffer, profile[name].byteOffset, profile[name].byteLength),
  );
  return Buffer.concat([Buffer.from(figures.buffer), ...lists]);
}

export function profileFrom(bytes: Buffer): Profile {
  // Lists begin at multiples of their elements' size; what the driver gives mostly does, and is then not copied.
  const isAligned = bytes.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0;
  const { buffer, byteOffset } = isAligned ? bytes : new Uint8Array(bytes);
  const figures = new Float64Array(buffer, byteOffset, FIGURES.length);
  const list = (name: (typeof LISTS)[number]): Float32Array => {
    const start = byteOffset + FIGURE_BYTES + LISTS.indexOf(name) * HOURS_A_WEEK * Float32Array.BYTES_PER_ELEMENT;
    return new Float32Array(buffer, start, HOURS_A_WEEK);
  };
  const figure = (name: (typeof FIGURES)[number]): number => figures[FIGURES.indexOf(name)] ?? 0;
  return {
    until: figure('until'),
    since: figure('since'),
    total: figure('total'),
    dispersion: figure('dispersion'),
    errorRate: figure('errorRate'),
    longestGap: figure('longestGap'),
    high: list('high'),
    low: list('low'),
    flow: list('flow'),
    spread: list('spread'),
    seen: list('seen'),
    latency: list('latency'),
  };
}
