import type { Interval } from '../totals/index.js';
import type { Range } from '../../tenancy/projects/index.js';

/** Which intervals a range can be divided into, the usual one first: never more than some 1,500 buckets, but for `all`. */
export const INTERVALS_OF: Readonly<Record<Range, readonly [Interval, ...Interval[]]>> = {
  '15m': ['minute', 'hour', 'day'],
  '1h': ['minute', 'hour', 'day'],
  '24h': ['hour', 'minute', 'day'],
  '7d': ['hour', 'day'],
  '30d': ['day', 'hour'],
  all: ['day'],
};
