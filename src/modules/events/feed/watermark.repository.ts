import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/index.js';
import { Database } from '../../../platform/database/database.js';
import { EventWriter, INGEST_CONNECTION_NAME } from '../ingestion/index.js';

/**
 * How long an event may take in the usual course from its arrival to where its wait is known: to this process's writer, or to
 * the transaction that stores it where another process does.
 */
const ARRIVAL_MS = 1_000;
/** A transaction that takes longer is not waited for. */
const LONGEST_WAIT_MS = 10_000;
/** Feeds that poll at the same time share one look. */
const SHARED_FOR_MS = 200;

/**
 * Tells up to which timestamp the events of the usual course are stored: before it lies every event that took its time
 * of arrival and is not late. Streams read no further, so that what commits in another order than it arrived is not
 * overtaken, and so that an event from the future waits until its time comes.
 */
@Injectable()
export class WatermarkRepository {
  private look: { readonly at: number; readonly settled: Promise<Date> } | undefined;

  constructor(
    private readonly database: Database,
    private readonly writer: EventWriter,
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
    // Before the look: what has its verdict by now is committed, and the look's reader sees it.
    const waitingMs = this.writer.oldestMs;
    // A duration of the database's own clock, which need not agree with ours.
    const [row] = await this.database.rows<{ ms: number | null }>(
      `SELECT (extract(epoch FROM clock_timestamp() - min(xact_start)) * 1000)::float8 AS ms FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = $1`,
      [INGEST_CONNECTION_NAME],
    );
    const oldestMs = Math.min(Math.max(row?.ms ?? 0, waitingMs), LONGEST_WAIT_MS);
    return new Date(Math.floor(now - oldestMs) - ARRIVAL_MS);
  }
}
