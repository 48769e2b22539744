import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams';
import { asProjectId } from '../../../access/index.js';
import { EVENT_COLUMNS } from '../clickhouse-schema/columns.js';
import { statesOver } from './project-sums.repository.js';
import type { ProjectLocator } from './replicated-events.repository.js';
import { MARK_INCOMPLETE } from './replication-state.repository.js';

/** The maximum size of a block. Its first queue row is always included, and has at most 1,000 events. */
const MAX_BLOCK_EVENTS = 100_000;
const MAX_BLOCK_BYTES = 67_108_864;
const MAX_QUEUE_ROWS = 10_000;

const CONNECT_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 3_000;
/**
 * The time limit of a statement. It is longer than the limit of an insert into ClickHouse, because the statement that
 * reads a block runs until the insert has received all rows.
 */
const STATEMENT_TIMEOUT_MS = 90_000;

const SETTINGS = `SET statement_timeout = ${STATEMENT_TIMEOUT_MS}; SET jit = off; SET DateStyle = 'ISO'`;

/** The block that is replicated next. */
export interface Block {
  /** Counted from 1. */
  readonly number: number;
  /**
   * The deduplication token. It is the same each time the block is sent, by any process, and differs for each block.
   */
  readonly token: string;
  /** True when an earlier attempt may have stored the block in whole or in part. */
  readonly isBegun: boolean;
}

interface State {
  readonly id: string;
  readonly block: string;
  readonly is_taken: boolean;
}

/**
 * Reads and updates the replication queue over a connection of its own. One block is in progress at a time. Its queue
 * rows are recorded in `event_shipping` before they are read. When the block is replicated, the record and the queue
 * rows are removed in one statement.
 */
export class ReplicationQueueRepository {
  private client: pg.Client | undefined;
  /** Never resolves. Rejects when {@link client} is lost. */
  private lost: Promise<never> = new Promise(() => undefined);

  constructor(private readonly databaseUrl: string) {}

  /**
   * Tries to become the only process that replicates, until the connection is closed or lost. Returns `acquired` the
   * first time. This lock is only an optimization: all processes send the same blocks, so correctness does not depend
   * on it.
   */
  async lock(): Promise<'acquired' | 'held' | 'heldElsewhere'> {
    if (this.client !== undefined) return 'held';
    const client = await this.connect();
    try {
      const { rows } = await client.query<{ ours: boolean }>(
        `SELECT pg_try_advisory_lock(hashtextextended('event-shipping', 0)) AS ours`,
      );
      if (rows[0]?.ours === true) {
        this.client = client;
        return 'acquired';
      }
    } catch (error) {
      await end(client);
      throw error;
    }
    await end(client);
    return 'heldElsewhere';
  }

  /**
   * Returns the number of the last replicated block, and whether the next block is already chosen. Null when
   * replication is not enabled.
   */
  async watermark(): Promise<{ readonly block: number; readonly isTaken: boolean } | null> {
    const state = await this.state();
    return state === undefined ? null : { block: Number(state.block), isTaken: state.is_taken };
  }

  /**
   * Returns an event of the last replicated block. Null when this event was removed, or while the replica is
   * incomplete, because a backfill then compares every event anyway.
   */
  async lastReplicated(): Promise<ProjectLocator | null> {
    const { rows } = await this.ask<{ project: string; at: Date; id: string }>(
      `SELECT /* tenant: that of the event */ p.last_project AS project, p.last_at AS at, p.last_id AS id FROM event_shipping p
       WHERE p.is_whole AND p.last_at >= coalesce(events_retained_from(), '-infinity') AND EXISTS (
         SELECT /* tenant: that of the event */ FROM events e WHERE e.project_id = p.last_project AND e."timestamp" = p.last_at AND e.id = p.last_id)`,
    );
    const [row] = rows;
    if (row === undefined || (await statesOver(this.ours, rows)).get(row.project) !== 'living') return null;
    return { project: asProjectId(row.project), at: row.at, id: row.id };
  }

  /** Marks the replica as incomplete, because replicated events were lost. */
  async markIncomplete(): Promise<void> {
    await this.ask(MARK_INCOMPLETE);
  }

  /** Returns the block in progress, or a new block of the oldest queue rows. @returns null when the queue is empty */
  async take(): Promise<Block | null> {
    const { rowCount } = await this.ask(
      `UPDATE event_shipping p SET taken = next.positions
       FROM (
         SELECT /* every tenant: in one order */ array_agg(w.position) AS positions
         FROM (
           SELECT s.position, sum(cardinality(s.ids)) OVER o AS events, sum(s.bytes) OVER o AS bytes,
                  row_number() OVER o AS number
           FROM (SELECT position, ids, bytes FROM event_shipments ORDER BY position LIMIT $1) s
           WINDOW o AS (ORDER BY s.position)) w
         WHERE w.number = 1 OR (w.events <= $2 AND w.bytes <= $3)) next
       WHERE p.taken IS NULL AND next.positions IS NOT NULL`,
      [MAX_QUEUE_ROWS, MAX_BLOCK_EVENTS, MAX_BLOCK_BYTES],
    );
    const state = await this.state();
    if (state?.is_taken !== true) return null;
    const number = Number(state.block) + 1;
    return { number, token: `${state.id}-${number}`, isBegun: rowCount === 0 };
  }

  /**
   * Returns the events of a block in the format of ClickHouse. Events that were deleted meanwhile are left out. The
   * connection is busy until the stream ends.
   */
  async read({ number }: Block): Promise<CopyToStreamQuery> {
    await this.ask(`SELECT set_config('shipping.block', $1, false)`, [String(number)]);
    const columns = EVENT_COLUMNS.map(({ name, sql }) => `${sql} AS "${name}"`).join(', ');
    // OFFSET 0 makes PostgreSQL look up each event by its key. The planner cannot estimate how few events the arrays
    // name, and would read whole months.
    const rows = this.ours.query(
      copyTo(`COPY (
        SELECT /* every tenant: in one order */ p.block + 1, f.*
        FROM event_shipping p
        JOIN event_shipments s ON s.position = ANY (p.taken)
        CROSS JOIN LATERAL unnest(s.timestamps, s.ids) AS w (at, id)
        CROSS JOIN LATERAL (
          SELECT ${columns} FROM events e
          WHERE e.project_id = s.project_id AND e."timestamp" = w.at AND e.id = w.id OFFSET 0) f
        WHERE p.block + 1 = current_setting('shipping.block')::bigint) TO STDOUT`),
    );
    this.lost.catch((error: unknown) => rows.destroy(error as Error));
    return rows;
  }

  /** Removes the queue rows of a replicated block. Does nothing when another process has confirmed the block before. */
  async confirm({ number }: Block): Promise<void> {
    await this.ask(
      `WITH replicated AS (
         SELECT taken FROM event_shipping WHERE block + 1 = $1 AND taken IS NOT NULL FOR UPDATE),
       gone AS (
         DELETE /* every tenant: those of the block */ FROM event_shipments s USING replicated r
         WHERE s.position = ANY (r.taken)
         RETURNING s.position, s.project_id, s.timestamps[1] AS at, s.ids[1] AS id)
       UPDATE event_shipping SET block = $1, taken = NULL, last_project = l.project_id, last_at = l.at, last_id = l.id
       FROM replicated LEFT JOIN (SELECT * FROM gone ORDER BY position DESC LIMIT 1) l ON true`,
      [number],
    );
  }

  /** Closes the connection, even while a statement runs. The next call of `lock` opens a new one. */
  async close(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    if (client !== undefined) await end(client);
  }

  private get ours(): pg.Client {
    if (this.client === undefined) throw new Error('the connection for shipping was lost');
    return this.client;
  }

  /** Rejects when the connection is lost, even when the driver does not report it for the statement. */
  private ask<Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []): Promise<pg.QueryResult<Row>> {
    return Promise.race([this.ours.query<Row>(sql, parameters), this.lost]);
  }

  private async state(): Promise<State | undefined> {
    const { rows } = await this.ask<State>('SELECT id, block, taken IS NOT NULL AS is_taken FROM event_shipping');
    return rows[0];
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.databaseUrl,
      application_name: 'service-shipping',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    this.lost = new Promise((_, reject) => {
      const lose = (): void => {
        if (this.client === client) this.client = undefined;
        reject(new Error('the connection for shipping was lost'));
      };
      client.on('error', lose);
      client.on('end', lose);
    });
    // Prevents an unhandled rejection while no statement waits.
    this.lost.catch(() => undefined);
    try {
      await client.connect();
      await client.query(SETTINGS);
    } catch (error) {
      await end(client);
      throw error;
    }
    return client;
  }
}

/**
 * Closes the connection even while a statement runs. The wait is limited, because a connection that the server has
 * dropped may never report its end.
 */
async function end(client: pg.Client): Promise<void> {
  const tooLate = pause(CLOSE_TIMEOUT_MS, undefined, { ref: false });
  await Promise.race([client.end().catch(() => undefined), tooLate]);
}
