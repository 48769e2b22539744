import { filterOf, isAll, type TimeWindow, windowOf } from '../totals/index.js';
import type { RequestFilter } from '../hour-rollups/index.js';
import type { PerformanceQuery } from './performance.dto.js';

const MINUTE_MS = 60_000;

/** What a query asks about. */
export interface AskedRequests {
  readonly window: TimeWindow;
  /** Whether the window has no beginning of its own. */
  readonly isAll: boolean;
  readonly filter: RequestFilter;
}

/** Empty text takes every value, as a form sends it. */
export function askedRequests(query: PerformanceQuery, now: Date): AskedRequests {
  const { method, endpoint } = query;
  return {
    window: windowOf(query, now, 'query'),
    isAll: isAll(query),
    filter: {
      event: filterOf(query),
      ...(method === undefined || method === '' ? {} : { method: method.toUpperCase() }),
      ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
    },
  };
}

/** Requests over the length of a window; 0 where it has none. */
export function perMinute(requests: number, { from, to }: TimeWindow): number {
  const minutes = (to.getTime() - from.getTime()) / MINUTE_MS;
  return minutes <= 0 ? 0 : requests / minutes;
}
