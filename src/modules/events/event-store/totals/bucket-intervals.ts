import { INTERVALS } from './count.js';

const NAMED_INTERVALS = [...INTERVALS, 'week'] as const;

/** From the shortest to the longest. */
export const BUCKET_INTERVALS = [...NAMED_INTERVALS, 'month', 'year'] as const;
export type BucketInterval = (typeof BUCKET_INTERVALS)[number];

/** Months and years are only used by `auto`. */
export const ASKED_INTERVALS = ['auto', ...NAMED_INTERVALS] as const;
export type AskedInterval = (typeof ASKED_INTERVALS)[number];
