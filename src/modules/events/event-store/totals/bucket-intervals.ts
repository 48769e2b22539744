import { INTERVALS } from './count.js';

export const BUCKET_INTERVALS = [...INTERVALS, 'week'] as const;
export type BucketInterval = (typeof BUCKET_INTERVALS)[number];

export const ASKED_INTERVALS = ['auto', ...BUCKET_INTERVALS] as const;
export type AskedInterval = (typeof ASKED_INTERVALS)[number];
