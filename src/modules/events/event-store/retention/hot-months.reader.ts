import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { KNOWN_TO_ALL_MS } from './remembered-instant.js';
import { SteadyInstant } from './steady-instant.js';

/** Since when PostgreSQL has events. */
@Injectable()
export class HotMonthsReader {
  /** Since when this process reads the same. */
  readonly told = new SteadyInstant(KNOWN_TO_ALL_MS);

  constructor(private readonly database: Database) {}

  /** Null: it has all that are kept. */
  async hotFrom(): Promise<Date | null> {
    const [row] = await this.database.rows<{ from: Date }>('SELECT hot_from AS from FROM hot_events');
    return row?.from ?? null;
  }

  /** The same, once it was said so long ago that nobody asks PostgreSQL for events before it. */
  async coldBefore(): Promise<Date | null> {
    const from = await this.hotFrom();
    return from === null ? null : this.told.of(from);
  }

  /** Months before it are the event store's alone. Never goes back: what is gone is gone. @returns whether that is new */
  async advance(hotFrom: Date): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO hot_events AS h (hot_from) VALUES ($1)
       ON CONFLICT ON CONSTRAINT pk_hot_events DO UPDATE SET hot_from = excluded.hot_from, since = now()
       WHERE h.hot_from < excluded.hot_from RETURNING 1`,
      [hotFrom],
    );
    return rows.length > 0;
  }
}
