import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';

/** For each of three locks of a month that goes: whoever reads or stores events meanwhile waits behind it. */
const LOCK_MS = 200;
/** Of a statement that could not have a lock in time. */
const LOCK_NOT_AVAILABLE = '55P03';

/** What a part of the rows without a month of their own held. */
export interface SweptPages {
  readonly removed: number;
  /** Of all there are; 8 kB each. */
  readonly pages: number;
}

/** Since when events are kept, and the rows of PostgreSQL that are older. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** Null: every event is kept. */
  async retainedFrom(): Promise<Date | null> {
    const [row] = await this.database.rows<{ from: Date }>('SELECT retained_from AS from FROM event_retention');
    return row?.from ?? null;
  }

  /** Older events are not kept. Never goes back: what is gone is gone. @returns whether that is new */
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

  /** @returns false when somebody reads or stores events all the time: the next look may find a gap */
  async dropMonth(name: string): Promise<boolean> {
    try {
      await this.database.transaction(async (tx) => {
        await this.database.execute(`SET LOCAL lock_timeout = ${LOCK_MS}`, [], tx);
        // A name from the catalogue, of digits and lines.
        await this.database.execute(`DROP TABLE IF EXISTS ${name}`, [], tx);
      });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return false;
      throw error;
    }
  }

  /**
   * Removes older rows from some pages of the partition for all other months, at most `limit`: each of them may have a megabyte
   * beside its page.
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
