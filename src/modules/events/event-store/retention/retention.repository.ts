import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';

/** The time limit for each of the three locks that drop a month. Requests that read or store events wait meanwhile. */
const LOCK_MS = 200;
/** SQLSTATE of a statement that did not get a lock in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** The result of removing old rows from some pages of the default partition. */
export interface SweptPages {
  readonly removed: number;
  /** The number of all pages of the partition, 8 kB each. */
  readonly pages: number;
}

/** Reads and advances the start of retention, and removes older rows from PostgreSQL. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** Null when every event is retained. */
  async retainedFrom(): Promise<Date | null> {
    const [row] = await this.database.rows<{ from: Date }>('SELECT retained_from AS from FROM event_retention');
    return row?.from ?? null;
  }

  /**
   * Ends the retention of older events. The instant never moves back, because the events are removed. @returns true
   * when it has moved
   */
  async advance(retainedFrom: Date): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO event_retention AS r (retained_from) VALUES ($1)
       ON CONFLICT ON CONSTRAINT pk_event_retention DO UPDATE SET retained_from = excluded.retained_from, since = now()
       WHERE r.retained_from < excluded.retained_from RETURNING 1`,
      [retainedFrom],
    );
    return rows.length > 0;
  }

  /** Months that have a partition, such as `events_2026_03`. */
  async months(): Promise<string[]> {
    const rows = await this.database.rows<{ name: string }>(
      `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_[0-9]{4}_[0-9]{2}$' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  /** @returns false when the locks were not available in time; a later attempt may succeed */
  async dropMonth(name: string): Promise<boolean> {
    try {
      await this.database.transaction(async (tx) => {
        await this.database.execute(`SET LOCAL lock_timeout = ${LOCK_MS}`, [], tx);
        // The name comes from the catalogue and consists of letters, digits and underscores.
        await this.database.execute(`DROP TABLE IF EXISTS ${name}`, [], tx);
      });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
      throw error;
    }
  }

  /**
   * Removes old rows from some pages of the default partition, at most `limit`. Each row may have a megabyte outside
   * its page.
   */
  async sweep(before: Date, fromPage: number, pages: number, limit: number): Promise<SweptPages> {
    const [row] = await this.database.rows<{ removed: number; pages: number }>(
      `WITH gone AS (
         DELETE /* every tenant: their events share partitions */ FROM events_default WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM events_default WHERE ctid >= $2::tid AND ctid < $3::tid AND "timestamp" < $1 LIMIT $4)) RETURNING 1)
       SELECT (SELECT count(*)::int FROM gone) AS removed,
              (pg_relation_size('events_default') / current_setting('block_size')::int)::float8 AS pages`,
      [before, `(${fromPage},0)`, `(${fromPage + pages},0)`, limit],
    );
    return row ?? { removed: 0, pages: 0 };
  }
}
