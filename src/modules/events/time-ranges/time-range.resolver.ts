import { Injectable } from '@nestjs/common';
import { type Range, rangeWindow } from '../../tenancy/projects/index.js';
import { RetainedEvents, type TimeWindow } from '../event-store/index.js';
import { type AskedWindow, EARLIEST_MS, windowBefore, windowOf } from './time-range.js';

/** No event has a timestamp after the year 9999. */
const END_OF_TIME = new Date('+010000-01-01T00:00:00.000Z');

/** Resolves the windows of requests. A window that begins before the retention limit is clipped there. */
@Injectable()
export class TimeRangeResolver {
  constructor(private readonly retained: RetainedEvents) {}

  /**
   * Returns the window of {@link windowOf}, clipped at the retention limit.
   * @throws ValidationError
   */
  async of(range: AskedWindow, now: Date, place: 'query' | 'body'): Promise<TimeWindow> {
    return this.within(windowOf(range, now, place));
  }

  /** Returns the window of a range that ends now, clipped at the retention limit. */
  ofRange(range: Range, now: Date): Promise<TimeWindow> {
    return this.within(rangeWindow(range, now));
  }

  /** Returns the window of all events that are retained. */
  everything(): Promise<TimeWindow> {
    return this.within({ from: new Date(EARLIEST_MS), to: END_OF_TIME });
  }

  /**
   * Returns the preceding window of the same length. Returns null when that window begins before the retention limit.
   */
  async before(window: TimeWindow): Promise<TimeWindow | null> {
    const before = windowBefore(window);
    const retainedFrom = await this.retained.from();
    return retainedFrom !== null && before.from < retainedFrom ? null : before;
  }

  /**
   * Returns whether all events of a window are still retained. Only long reads need this check, because expired events
   * are removed late enough for all shorter reads.
   */
  async isKept({ from, to }: TimeWindow): Promise<boolean> {
    const retainedFrom = await this.retained.fromNow();
    return retainedFrom === null || from >= retainedFrom || from >= to;
  }

  private async within({ from, to }: TimeWindow): Promise<TimeWindow> {
    const retainedFrom = await this.retained.from();
    if (retainedFrom === null || from >= retainedFrom) return { from, to };
    return { from: retainedFrom > to ? to : retainedFrom, to };
  }
}
