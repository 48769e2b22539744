import { Injectable } from '@nestjs/common';
import { HotMonthsReader } from './hot-months.reader.js';
import { CachedWatermark } from './cached-watermark.js';

/** The instant from which PostgreSQL has every event. Cached for up to a minute. */
@Injectable()
export class HotEvents {
  private readonly known = new CachedWatermark(() => this.events.hotFrom());

  constructor(private readonly events: HotMonthsReader) {}

  /** The start of a UTC month. Null when PostgreSQL has all events. */
  from(): Promise<Date | null> {
    return this.known.get();
  }

  /** True when PostgreSQL has every event from an instant on. @param from omitted for all events */
  async haveAllFrom(from: Date | undefined): Promise<boolean> {
    const hotFrom = await this.known.get();
    return hotFrom === null || (from !== undefined && from >= hotFrom);
  }

  /** Drops the cached value after a change. */
  forget(): void {
    this.known.forget();
  }
}
