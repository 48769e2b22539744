import { INTERVALS } from './count.js';

const NAMED_INTERVALS = [...INTERVALS, 'week'] as const;

/** From the shortest to the longest. */
export const BUCKET_INTERVALS = [...NAMED_INTERVALS, 'month', 'year'] as const;
export type BucketInterval = (typeof BUCKET_INTERVALS)[number];

/** Months and years are only used by `auto`. */
export const REQUESTED_INTERVALS = ['auto', ...NAMED_INTERVALS] as const;
export type RequestedInterval = (typeof REQUESTED_INTERVALS)[number];
