import { EnumField } from '../../../platform/http/fields/index.js';
import { INTERVALS } from './count.js';

export const BUCKET_INTERVALS = [...INTERVALS, 'week'] as const;
export type BucketInterval = (typeof BUCKET_INTERVALS)[number];

const ASKED_INTERVALS = ['auto', ...BUCKET_INTERVALS] as const;
export type AskedInterval = (typeof ASKED_INTERVALS)[number];

/** The property is an {@link AskedInterval}, `auto` where it is left out. */
export const IntervalField = (): PropertyDecorator =>
  EnumField(ASKED_INTERVALS, {
    optional: true,
    default: 'auto',
    description:
      'auto: the shortest with at most 200 buckets in the window, else week; minute for windows of up to 2 hours only. A window has 1,500 buckets at most',
  });
