import { Injectable } from '@nestjs/common';
import { HotMonthsReader } from './hot-months.reader.js';
import { RememberedInstant } from './remembered-instant.js';

/** Since when PostgreSQL has every event that is kept, as every process knows it: at most a minute late. */
@Injectable()
export class HotEvents {
  private readonly known = new RememberedInstant(() => this.events.hotFrom());

  constructor(private readonly events: HotMonthsReader) {}

  /** The beginning of a UTC month; null: it has all. */
  from(): Promise<Date | null> {
    return this.known.get();
  }

  /** Whether it has every event from an instant on. @param from left out: from the first one on */
  async haveAllFrom(from: Date | undefined): Promise<boolean> {
    const hotFrom = await this.known.get();
    return hotFrom === null || (from !== undefined && from >= hotFrom);
  }

  /** It has changed. */
  forget(): void {
    this.known.forget();
  }
}
