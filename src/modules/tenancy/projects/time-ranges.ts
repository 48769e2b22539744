/** Time windows that end now. `all` begins in 1970. The logs, the explorer and the settings use the same windows. */
export const RANGES = ['15m', '1h', '24h', '7d', '30d', 'all'] as const;
export type Range = (typeof RANGES)[number];

const MINUTE_MS = 60_000;
const LENGTH_MS: Readonly<Record<Exclude<Range, 'all'>, number>> = {
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '24h': 24 * 60 * MINUTE_MS,
  '7d': 7 * 24 * 60 * MINUTE_MS,
  '30d': 30 * 24 * 60 * MINUTE_MS,
};

export function rangeWindow(range: Range, now: Date): { from: Date; to: Date } {
  return { from: range === 'all' ? new Date(0) : new Date(now.getTime() - LENGTH_MS[range]), to: now };
}
