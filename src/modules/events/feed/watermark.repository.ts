import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/index.js';
import { Database } from '../../../platform/database/database.js';
import { EventBatcher, INGEST_CONNECTION_NAME } from '../ingestion/index.js';

/**
 * Maximum time from the arrival of an event until this class sees that the event waits to be stored. The wait is
 * visible once the event is in the writer of this process, or in the transaction of another process that stores it.
 */
const ARRIVAL_MS = 1_000;
/** The watermark does not wait longer than this for an event that is being stored. */
const LONGEST_WAIT_MS = 10_000;
/** Feeds that poll within this time share one reading of the watermark. */
const SHARED_FOR_MS = 200;

/**
 * Reads the watermark of streams. An event whose timestamp is its time of arrival has been stored once the timestamp
 * lies before the watermark, unless the event exceeds `ARRIVAL_MS` or `LONGEST_WAIT_MS`. Streams read only up to the
 * watermark. So they do not skip an event that commits after a younger one, and an event with a future timestamp is
 * sent when its time comes.
 */
@Injectable()
export class WatermarkRepository {
  private look: { readonly at: number; readonly settled: Promise<Date> } | undefined;

  constructor(
    private readonly database: Database,
    private readonly writer: EventBatcher,
    private readonly clock: Clock,
  ) {}

  settled(): Promise<Date> {
    const at = performance.now();
    if (this.look !== undefined && at - this.look.at < SHARED_FOR_MS) return this.look.settled;
    const settled = this.read();
    this.look = { at, settled };
    settled.catch(() => (this.look = undefined));
    return settled;
  }

  private async read(): Promise<Date> {
    const now = this.clock.now().getTime();
    // This must be read before the query. An event that has left the writer by now is committed, so a feed that reads
    // up to this watermark sees it.
    const waitingMs = this.writer.oldestMs;
    // The database computes the duration with its own clock, which need not agree with the clock of this process.
    const [row] = await this.database.rows<{ ms: number | null }>(
      `SELECT (extract(epoch FROM clock_timestamp() - min(xact_start)) * 1000)::float8 AS ms FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = $1`,
      [INGEST_CONNECTION_NAME],
    );
    const oldestMs = Math.min(Math.max(row?.ms ?? 0, waitingMs), LONGEST_WAIT_MS);
    return new Date(Math.floor(now - oldestMs) - ARRIVAL_MS);
  }
}
