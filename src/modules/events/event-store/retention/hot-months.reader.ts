import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { KNOWN_TO_ALL_MS } from './cached-watermark.js';
import { DebouncedWatermark } from './debounced-watermark.js';

/** Reads and advances the instant from which PostgreSQL has every event. */
@Injectable()
export class HotMonthsReader {
  /** Measures how long this process has read the same value. */
  readonly announced = new DebouncedWatermark(KNOWN_TO_ALL_MS);

  constructor(private readonly database: Database) {}

  /** Null when PostgreSQL has all events that are retained. */
  async hotFrom(): Promise<Date | null> {
    const [row] = await this.database.rows<{ from: Date }>('SELECT hot_from AS from FROM hot_events');
    return row?.from ?? null;
  }

  /** Returns the same instant, once it is old enough that no process reads earlier events from PostgreSQL. */
  async archivedBefore(): Promise<Date | null> {
    const from = await this.hotFrom();
    return from === null ? null : this.announced.of(from);
  }

  /**
   * Makes ClickHouse the only store of earlier months. The instant never moves back, because the events are removed.
   * @returns true when it has moved
   */
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
