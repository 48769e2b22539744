/** Windows that end now (SERVICE 4.4); `all` begins in 1970. The logs, the explorer and the settings share them. */
export const RANGES = ['15m', '1h', '24h', '7d', '30d', 'all'] as const;
export type Range = (typeof RANGES)[number];
