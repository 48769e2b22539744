import pg from 'pg';
import { projectSumsSql } from '../shipping/project-sums.repository.js';
import type { ProjectSum } from '../shipping/stored-events.repository.js';

/** For each of three locks of a month that goes: whoever reads or stores events meanwhile waits behind it. */
const LOCK_MS = 200;
/** For the looks under these locks. */
const LOOK_MS = 500;
/** A lock was not to be had in time, or a look took too long. */
const BUSY = new Set(['55P03', '57014']);
const MONTH = '^events_[0-9]{4}_[0-9]{2}$';

/** A UTC month of events that has a table of its own. */
export interface StoredMonth {
  /** `events_2026_03`. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
  /** Whether it is among the events; else only its table is left. */
  readonly isAttached: boolean;
}

/** The months of PostgreSQL, over a connection of its own: what all events of a month add up to takes its time. */
export class MonthsRepository {
  private constructor(private readonly client: pg.Client) {}

  static async open(databaseUrl: string): Promise<MonthsRepository> {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'service-months' });
    // Whoever asks next is told that the connection is lost.
    client.on('error', () => undefined);
    await client.connect();
    await client.query('SET statement_timeout = 0');
    return new MonthsRepository(client);
  }

  /** @returns whether nobody else lets months go */
  async begin(): Promise<boolean> {
    const { rows } = await this.client.query<{ ours: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('event-months', 0)) AS ours`,
    );
    return rows[0]?.ours === true;
  }

  /** Oldest first. */
  async all(): Promise<StoredMonth[]> {
    const { rows } = await this.client.query<{ name: string; attached: boolean }>(
      `SELECT c.relname AS name, EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid) AS attached FROM pg_class c
       WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass)
         AND c.relkind = 'r' AND c.relname ~ '${MONTH}' ORDER BY 1`,
    );
    return rows.map(({ name, attached }) => {
      const [, year, month] = name.split('_').map(Number) as [number, number, number];
      const [from, to] = [month - 1, month].map((at) => new Date(Date.UTC(year, at, 1))) as [Date, Date];
      return { name, from, to, isAttached: attached };
    });
  }

  /** Whether every event was copied or waits. */
  async isCopyWhole(): Promise<boolean> {
    const { rows } = await this.client.query<{ is_whole: boolean }>('SELECT is_whole FROM event_shipping');
    return rows[0]?.is_whole === true;
  }

  /** What the event store has to have of a month: of one moment. */
  async sums({ name, from, to, isAttached }: StoredMonth): Promise<{ block: number; projects: ProjectSum[] }> {
    // What came late since is among all other events.
    const relation = isAttached
      ? name
      : `(SELECT project_id, "timestamp", id FROM ${name} UNION ALL SELECT project_id, "timestamp", id FROM events_default)`;
    await this.client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const { rows } = await this.client.query<{ block: number }>('SELECT block::float8 AS block FROM event_shipping');
      const within = (column: string): string => `${column} >= ${literal(from)} AND ${column} < ${literal(to)}`;
      const { rows: projects } = await this.client.query<ProjectSum>(projectSumsSql({ relation, within }));
      return { block: rows[0]?.block ?? 0, projects };
    } finally {
      await this.client.query('COMMIT').catch(() => undefined);
    }
  }

  /**
   * Takes a month out of the events; its table stays. What is stored of it from now on lies among the events without a month.
   * @returns false where somebody reads or stores events all the time, or some of its events wait to be copied or matched
   */
  async detach({ name, from, to }: StoredMonth): Promise<boolean> {
    const among = (table: string): string =>
      `EXISTS (SELECT /* every tenant: whether there is one */ FROM ${table} o WHERE EXISTS (
         SELECT FROM unnest(o.timestamps) AS u (at) WHERE u.at >= ${literal(from)} AND u.at < ${literal(to)}))`;
    try {
      await this.client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL statement_timeout = ${LOOK_MS}`);
      // Once they are held, nothing of the month is under way.
      await this.client.query(`LOCK TABLE ONLY events, ONLY events_default, ONLY ${name} IN ACCESS EXCLUSIVE MODE`);
      const { rows } = await this.client.query<{ waits: boolean }>(
        `SELECT ${among('event_shipments')} OR ${among('event_outbox')} AS waits`,
      );
      const isFree = rows[0]?.waits === false;
      if (isFree) await this.client.query(`ALTER TABLE events DETACH PARTITION ${name}`);
      await this.client.query('COMMIT');
      return isFree;
    } catch (error) {
      await this.client.query('ROLLBACK').catch(() => undefined);
      if (BUSY.has(String((error as { code?: unknown }).code))) return false;
      throw error;
    }
  }

  /** Drops the table of a month, and remembers what the event store has of it. */
  async drop({ name, from }: StoredMonth, projects: readonly ProjectSum[]): Promise<void> {
    await this.client.query('BEGIN');
    try {
      await this.client.query(
        `INSERT INTO cold_months (project_id, month, events)
         SELECT u.project, $1, u.events FROM unnest($2::uuid[], $3::bigint[]) AS u (project, events)
         ON CONFLICT ON CONSTRAINT pk_cold_months DO UPDATE SET events = excluded.events`,
        [from, projects.map(({ project }) => project), projects.map(({ events }) => events)],
      );
      await this.client.query(`DROP TABLE ${name}`);
      await this.client.query('COMMIT');
    } catch (error) {
      await this.client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

/** What comes of a Date cannot hold a quote. */
function literal(at: Date): string {
  return `'${at.toISOString()}'::timestamptz`;
}
