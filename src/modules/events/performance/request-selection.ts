import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/index.js';
import { TimeRangeResolver, conditionOf, filterOf, isAll } from '../time-ranges/index.js';
import type { RequestFilter, TimeWindow } from '../event-store/index.js';
import type { PerformanceQuery } from './performance.dto.js';

const MINUTE_MS = 60_000;

/** The requests that a query selects. */
export interface RequestSelection {
  readonly window: TimeWindow;
  /** Whether the query selects all time, so that the window has no start of its own. */
  readonly isAll: boolean;
  /** The preceding window of the same length. Null for all time, and when some of its events have been dropped. */
  readonly before: TimeWindow | null;
  readonly filter: RequestFilter;
}

/** Parses the parameters that the queries have in common. */
@Injectable()
export class RequestQuestions {
  constructor(
    private readonly timeRanges: TimeRangeResolver,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the requests that a query selects. Empty text, which a form sends, matches every value.
   * @throws ValidationError
   */
  async of(query: PerformanceQuery): Promise<RequestSelection> {
    const { method, endpoint } = query;
    const where = conditionOf(query.where, 'query');
    const window = await this.timeRanges.of(query, this.clock.now(), 'query');
    return {
      window,
      isAll: isAll(query),
      before: isAll(query) ? null : await this.timeRanges.before(window),
      filter: {
        event: filterOf(query),
        ...(method === undefined || method === '' ? {} : { method: method.toUpperCase() }),
        ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
        ...(where !== null && { where }),
        isOfRequests: query.requests_only,
      },
    };
  }
}

/** Returns requests per minute of a window, or 0 for an empty window. */
export function perMinute(requests: number, { from, to }: TimeWindow): number {
  const minutes = (to.getTime() - from.getTime()) / MINUTE_MS;
  return minutes <= 0 ? 0 : requests / minutes;
}
