import { Injectable } from '@nestjs/common';
import { type Range, rangeWindow } from '../../tenancy/projects/index.js';
import { RetainedEvents, type TimeWindow } from '../event-store/index.js';
import { type AskedWindow, windowBefore, windowOf } from './asked-window.js';

/** Windows of requests, none of which begins before the events that are kept. */
@Injectable()
export class AskedWindows {
  constructor(private readonly retained: RetainedEvents) {}

  /**
   * As {@link windowOf}.
   * @throws ValidationError
   */
  async of(asked: AskedWindow, now: Date, place: 'query' | 'body'): Promise<TimeWindow> {
    return this.within(windowOf(asked, now, place));
  }

  /** One that ends now. */
  ofRange(range: Range, now: Date): Promise<TimeWindow> {
    return this.within(rangeWindow(range, now));
  }

  /** Of the same length, ending where this one begins; null where some of its events are not kept. */
  async before(window: TimeWindow): Promise<TimeWindow | null> {
    const before = windowBefore(window);
    const retainedFrom = await this.retained.from();
    return retainedFrom !== null && before.from < retainedFrom ? null : before;
  }

  /** Whether all events of a window are there still: of reads that take longer than those that are ended wait for. */
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
