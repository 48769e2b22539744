import pg from 'pg';
import { type KeptSum, projectSums, statesOver } from '../replication/project-sums.repository.js';
import { LateEventsRepository } from './late-events.repository.js';

/**
 * The time limit for each of the three locks that detach a month. Requests that read or store events wait meanwhile.
 */
const LOCK_MS = 200;
/** The time limit of a statement under these locks. */
const LOOK_MS = 500;
/**
 * The time limit for attaching a month. All requests wait while late events are searched in the default partition,
 * which happens twice.
 */
const ATTACH_MS = 2_000;
/** SQLSTATE codes: the lock was not available in time, or the statement took too long. */
const BUSY = new Set(['55P03', '57014']);
/** The names of tables of attached and of detached months. Tables that an operator has detached have other names. */
const NAMES = '^events_(cold_)?[0-9]{4}_[0-9]{2}$';
/** The constraint on the table of a month that is about to be attached again. */
const MONTH_CHECK = 'ck_events_month';
const CONNECT_LIMIT_MS = 5_000;

/** A UTC month of events that has a table of its own. */
export interface StoredMonth {
  /** `events_2026_03`, or `events_cold_2026_03`. */
  readonly name: string;
  readonly from: Date;
  readonly to: Date;
  /** True when the month is a partition of `events`. False when it was detached and its table remains. */
  readonly isAttached: boolean;
}

/**
 * `busy`: the locks were not available in time. `waits`: an event of the month still has to be replicated or matched.
 */
export type Detaching = 'done' | 'busy' | 'waits';

/**
 * Reads and changes the months of PostgreSQL. It has a connection of its own, because summing up a month takes long.
 */
export class MonthsRepository {
  private constructor(private readonly client: pg.Client) {}

  static async open(databaseUrl: string): Promise<MonthsRepository> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: 'service-months',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
    });
    // The next query reports that the connection is lost.
    client.on('error', () => undefined);
    await client.connect();
    await client.query('SET statement_timeout = 0');
    return new MonthsRepository(client);
  }

  /** @returns false when another process drops months */
  async begin(): Promise<boolean> {
    const { rows } = await this.client.query<{ ours: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('event-months', 0)) AS ours`,
    );
    return rows[0]?.ours === true;
  }

  /** The late events, read over the same connection. */
  get late(): LateEventsRepository {
    return new LateEventsRepository(this.client);
  }

  /** Returns the months that have a table, attached or detached, oldest first. */
  async all(): Promise<StoredMonth[]> {
    const { rows } = await this.client.query<{ name: string; attached: boolean }>(
      `SELECT c.relname AS name, EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid) AS attached FROM pg_class c
       WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass)
         AND c.relkind = 'r' AND c.relname ~ '${NAMES}' ORDER BY right(c.relname, 7)`,
    );
    return rows.flatMap(({ name, attached: isAttached }) => {
      if (isAttached === name.includes('cold')) return [];
      const [year, month] = name.split('_').slice(-2).map(Number) as [number, number];
      const [from, to] = [month - 1, month].map((at) => new Date(Date.UTC(year, at, 1))) as [Date, Date];
      return [{ name, from, to, isAttached }];
    });
  }

  /** True when every event is replicated or queued. */
  async isReplicaComplete(): Promise<boolean> {
    const { rows } = await this.client.query<{ is_whole: boolean }>('SELECT is_whole FROM event_shipping');
    return rows[0]?.is_whole === true;
  }

  /**
   * Returns which events ClickHouse must have of a month up to `block`, as sums by project. `own` counts the events in
   * the month's own table, without late events. All numbers come from one snapshot.
   */
  async sums({ name, from, to, isAttached }: StoredMonth): Promise<{ block: number; projects: KeptSum[] }> {
    // Late events of a detached month are in the default partition.
    const relation = isAttached
      ? name
      : `(SELECT project_id, "timestamp", id, true AS is_own FROM ${name}
         UNION ALL SELECT project_id, "timestamp", id, false FROM events_default)`;
    await this.client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const { rows } = await this.client.query<{ block: number }>('SELECT block::float8 AS block FROM event_shipping');
      const within = (column: string): string => `${column} >= ${literal(from)} AND ${column} < ${literal(to)}`;
      const projects = await projectSums(this.client, { relation, within, ...(!isAttached && { own: 'e.is_own' }) });
      return { block: rows[0]?.block ?? 0, projects };
    } finally {
      await this.client.query('COMMIT').catch(() => undefined);
    }
  }

  /**
   * Detaches a month from `events`. Its table stays under another name. Events of the month that are stored from now on
   * go to the default partition.
   */
  async detach(month: StoredMonth): Promise<Detaching> {
    // Checked before the locks, so that no request has to wait for this check.
    if (await this.waits(month)) return 'waits';
    try {
      await this.client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL statement_timeout = ${LOOK_MS}`);
      // Once the locks are held, no other transaction uses the month.
      await this.client.query(
        `LOCK TABLE ONLY events, ONLY events_default, ONLY ${month.name} IN ACCESS EXCLUSIVE MODE`,
      );
      const isFree = !(await this.waits(month));
      if (isFree) {
        await this.client.query(`ALTER TABLE events DETACH PARTITION ${month.name}`);
        await this.client.query(`ALTER TABLE ${month.name} RENAME TO ${archivedName(month)}`);
      }
      await this.client.query('COMMIT');
      return isFree ? 'done' : 'waits';
    } catch (error) {
      await this.client.query('ROLLBACK').catch(() => undefined);
      if (BUSY.has(String((error as { code?: unknown }).code))) return 'busy';
      throw error;
    }
  }

  /**
   * Attaches a detached month again, together with its late events.
   * @returns false when the locks were not available in time, or when moving the late events took too long
   */
  async attach(month: StoredMonth): Promise<boolean> {
    const [from, to] = [literal(month.from), literal(month.to)];
    // The constraint is validated before the locks are taken. With this constraint, ATTACH PARTITION does not scan the
    // table while other requests wait.
    await this.client.query(
      `ALTER TABLE ${month.name} DROP CONSTRAINT IF EXISTS ${MONTH_CHECK},
         ADD CONSTRAINT ${MONTH_CHECK} CHECK ("timestamp" >= ${from} AND "timestamp" < ${to}) NOT VALID`,
    );
    await this.client.query(`ALTER TABLE ${month.name} VALIDATE CONSTRAINT ${MONTH_CHECK}`);
    try {
      await this.client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_MS}; SET LOCAL statement_timeout = ${ATTACH_MS}`);
      await this.client.query('LOCK TABLE ONLY events, ONLY events_default IN ACCESS EXCLUSIVE MODE');
      await this.client.query(
        `WITH late AS (
           DELETE /* every tenant: their events share partitions */ FROM events_default WHERE "timestamp" >= ${from} AND "timestamp" < ${to} RETURNING *)
         INSERT INTO ${month.name} SELECT * FROM late`,
      );
      await this.client.query(`ALTER TABLE ${month.name} RENAME TO ${hotName(month)}`);
      await this.client.query(
        `ALTER TABLE events ATTACH PARTITION ${hotName(month)} FOR VALUES FROM (${from}) TO (${to})`,
      );
      await this.client.query(`ALTER TABLE ${hotName(month)} DROP CONSTRAINT ${MONTH_CHECK}`);
      await this.client.query('COMMIT');
      return true;
    } catch (error) {
      await this.client.query('ROLLBACK').catch(() => undefined);
      if (BUSY.has(String((error as { code?: unknown }).code))) return false;
      throw error;
    }
  }

  /** Removes the records of months past retention and of deleted projects. */
  async forgetEnded(): Promise<void> {
    await this.client.query(
      'DELETE /* every tenant: what has ended */ FROM cold_months WHERE month < (SELECT events_retained_from())',
    );
    const { rows } = await this.client.query<{ project: string }>(
      'SELECT DISTINCT /* every tenant: whose there are */ project_id AS project FROM cold_months',
    );
    const states = await statesOver(this.client, rows);
    // A deleted project does not come back.
    const gone = rows.filter(({ project }) => !states.has(project)).map(({ project }) => project);
    await this.client.query('DELETE FROM cold_months WHERE project_id = ANY ($1::uuid[])', [gone]);
  }

  /** True when an event of a month still has to be replicated, matched or notified. */
  private async waits({ from, to }: StoredMonth): Promise<boolean> {
    const among = (table: string): string =>
      `EXISTS (SELECT /* every tenant: whether there is one */ FROM ${table} o WHERE EXISTS (
         SELECT FROM unnest(o.timestamps) AS u (at) WHERE u.at >= ${literal(from)} AND u.at < ${literal(to)}))`;
    const { rows } = await this.client.query<{ waits: boolean }>(
      `SELECT ${among('event_shipments')} OR ${among('event_outbox')} AS waits`,
    );
    if (rows[0]?.waits !== false) return true;
    // Read after the outbox, so that an event that moves from there to the firings meanwhile is found.
    const { rows: told } = await this.client.query<{ waits: boolean }>(
      `SELECT EXISTS (SELECT /* every tenant: whether there is one */ FROM alert_rule_firings f
         WHERE f.event_at >= ${literal(from)} AND f.event_at < ${literal(to)}) AS waits`,
    );
    return told[0]?.waits !== false;
  }

  /**
   * Drops the table of a month, and records how many of its events ClickHouse has. A late event is added to this number
   * when it is removed.
   */
  async drop({ name, from }: StoredMonth, projects: readonly KeptSum[]): Promise<void> {
    await this.client.query('BEGIN');
    try {
      await this.client.query(
        `INSERT INTO cold_months (project_id, month, events)
         SELECT u.project, $1, u.events FROM unnest($2::uuid[], $3::bigint[]) AS u (project, events)
         ON CONFLICT ON CONSTRAINT pk_cold_months DO UPDATE SET events = excluded.events`,
        [from, projects.map(({ project }) => project), projects.map(({ own }) => own)],
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

/** Returns the name of the table of a detached month. */
export function archivedName({ from }: StoredMonth): string {
  return `events_cold_${monthName(from)}`;
}

function hotName({ from }: StoredMonth): string {
  return `events_${monthName(from)}`;
}

function monthName(from: Date): string {
  return from.toISOString().slice(0, 7).replace('-', '_');
}

/** The text of a Date cannot contain a quote. */
function literal(at: Date): string {
  return `'${at.toISOString()}'::timestamptz`;
}
