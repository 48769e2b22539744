import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';

/** As long as a process may not know of it yet, and longer than most of its requests take. */
const KNOWN_TO_ALL = `interval '2 minutes'`;

/** Since when PostgreSQL has events. */
@Injectable()
export class HotMonthsReader {
  constructor(private readonly database: Database) {}

  /** Null: it has all that are kept. */
  async hotFrom(): Promise<Date | null> {
    const [row] = await this.database.rows<{ from: Date }>('SELECT hot_from AS from FROM hot_events');
    return row?.from ?? null;
  }

  /** The same, once it was said so long ago that nobody asks PostgreSQL for events before it. */
  async coldBefore(): Promise<Date | null> {
    const [row] = await this.database.rows<{ from: Date }>(
      `SELECT hot_from AS from FROM hot_events WHERE since <= now() - ${KNOWN_TO_ALL}`,
    );
    return row?.from ?? null;
  }

  /** The beginning of the month that was so many days ago, by the database's time. */
  async monthBefore(days: number): Promise<Date> {
    const [row] = await this.database.rows<{ from: Date }>(
      `SELECT date_trunc('month', now() - make_interval(hours => 24 * $1::int), 'UTC') AS from`,
      [days],
    );
    return row?.from ?? new Date(0);
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
