import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/index.js';
import { AskedWindows, filterOf, isAll } from '../asked-windows/index.js';
import type { RequestFilter, TimeWindow } from '../event-store/index.js';
import type { PerformanceQuery } from './performance.dto.js';

const MINUTE_MS = 60_000;

/** What a query asks about. */
export interface AskedRequests {
  readonly window: TimeWindow;
  /** Whether the window has no beginning of its own. */
  readonly isAll: boolean;
  /** As long as the window, and ends where it begins; null for all, and where some of its events are not kept. */
  readonly before: TimeWindow | null;
  readonly filter: RequestFilter;
}

/** Reads what the questions have in common. */
@Injectable()
export class RequestQuestions {
  constructor(
    private readonly windows: AskedWindows,
    private readonly clock: Clock,
  ) {}

  /**
   * Empty text takes every value, as a form sends it.
   * @throws ValidationError
   */
  async of(query: PerformanceQuery): Promise<AskedRequests> {
    const { method, endpoint } = query;
    const window = await this.windows.of(query, this.clock.now(), 'query');
    return {
      window,
      isAll: isAll(query),
      before: isAll(query) ? null : await this.windows.before(window),
      filter: {
        event: filterOf(query),
        ...(method === undefined || method === '' ? {} : { method: method.toUpperCase() }),
        ...(endpoint === undefined || endpoint === '' ? {} : { endpoint }),
      },
    };
  }
}

/** Requests over the length of a window; 0 where it has none. */
export function perMinute(requests: number, { from, to }: TimeWindow): number {
  const minutes = (to.getTime() - from.getTime()) / MINUTE_MS;
  return minutes <= 0 ? 0 : requests / minutes;
}
