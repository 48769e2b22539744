import pg from 'pg';
import { asProjectId, type ProjectId } from '../../../../access/index.js';
import { Parameters } from '../../../../../platform/database/parameters.js';
import { projectSums, statesOver } from '../project-sums.repository.js';
import type { LocatorRange, ProjectLocator, ProjectSum, StoredLocator } from '../replicated-events.repository.js';
import { MARK_INCOMPLETE } from '../replication-state.repository.js';

/** The maximum size of a queue row. Ingestion uses the same limits. */
const MAX_ROW_EVENTS = 1_000;
const MAX_ROW_BYTES = 8_388_608;

const SIZE = '(300 + coalesce(e.bytes, 4 * pg_column_size(e.properties)))';
/** Groups numbered events into queue rows. */
const QUEUE_ROW = `(n.number - 1) / ${MAX_ROW_EVENTS}, div(n.total, ${MAX_ROW_BYTES})`;
/** The order in which all events are read. */
const ORDER = '(e.project_id, e."timestamp", e.id)';

/** An event that ClickHouse may have already. */
export interface BackfillEvent extends StoredLocator {
  /** The estimated size of the event when it is replicated, in bytes. */
  readonly size: string;
  /** True when the event is in the replication queue. */
  readonly isQueued: boolean;
}

/** The progress of the backfill. `locator` is null at the beginning. */
export interface BackfillState {
  readonly isWhole: boolean;
  readonly locator: ProjectLocator | null;
  readonly events: number;
}

/** The number of events that a project had in a month when PostgreSQL dropped it. */
export interface ArchivedMonth {
  readonly month: Date;
  readonly nextMonth: Date;
  readonly project: string;
  readonly events: string;
}

/** The events of one step. */
export interface BackfillStep extends LocatorRange {
  readonly events: number;
  /** The last block that was replicated before the events were read. */
  readonly block: string;
}

interface StepRow {
  readonly block: string;
  readonly events: number;
  readonly projects: readonly string[];
  readonly project_id: string;
  readonly at: Date;
  readonly id: string;
}

interface StateRow {
  readonly is_whole: boolean;
  readonly moved_project: string | null;
  readonly moved_at: Date | null;
  readonly moved_id: string | null;
  readonly moved_events: number;
}

/** Reads all events of PostgreSQL in the order of project, timestamp and id, over a connection of its own. */
export class BackfillRepository {
  private constructor(private readonly client: pg.Client) {}

  static async open(databaseUrl: string): Promise<BackfillRepository> {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'service-moving' });
    // The next query reports that the connection is lost.
    client.on('error', () => undefined);
    await client.connect();
    // The check at the end reads every event. The planner cannot estimate how many events an array names, and would
    // choose a nested loop.
    await client.query('SET statement_timeout = 0; SET enable_nestloop = off; SET jit = off');
    return new BackfillRepository(client);
  }

  /** Queues all events that are stored from now on. @returns false when another process runs the backfill */
  async begin(): Promise<boolean> {
    await this.client.query('SELECT begin_event_shipping()');
    const { rows } = await this.client.query<{ ours: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('event-moving', 0)) AS ours`,
    );
    return rows[0]?.ours === true;
  }

  async state(): Promise<BackfillState> {
    const { rows } = await this.client.query<StateRow>(
      'SELECT is_whole, moved_project, moved_at, moved_id, moved_events::float8 AS moved_events FROM event_shipping',
    );
    const [row] = rows;
    if (row === undefined) throw new Error('events are not kept for copying any more');
    const { moved_project: project, moved_at: at, moved_id: id } = row;
    return {
      isWhole: row.is_whole,
      locator: project === null || at === null || id === null ? null : { project: asProjectId(project), at, id },
      events: row.moved_events,
    };
  }

  /** The last block that was replicated. */
  async block(): Promise<number> {
    const { rows } = await this.client.query<{ block: number }>('SELECT block::float8 AS block FROM event_shipping');
    return rows[0]?.block ?? 0;
  }

  /** Makes the next blocks use new deduplication tokens. */
  async renew(): Promise<void> {
    await this.client.query('UPDATE event_shipping SET id = gen_random_uuid()');
  }

  /** Returns the number of events that PostgreSQL has, from the counters of ingestion. */
  async total(): Promise<number> {
    const { rows } = await this.client.query<{ events: number }>(
      `SELECT /* every tenant: how many */ coalesce(sum(events), 0)::float8 AS events FROM event_hours
       WHERE hour >= (SELECT events_hot_from())`,
    );
    return rows[0]?.events ?? 0;
  }

  /** Returns the next events after a locator. @returns null when there are none */
  async nextStep(behind: ProjectLocator | null, limit: number): Promise<BackfillStep | null> {
    const { rows } = await this.client.query<StepRow>(
      `WITH step AS MATERIALIZED (
         SELECT /* every tenant: one after the other */ e.project_id, e."timestamp", e.id FROM events e
         ${behind === null ? '' : `WHERE ${ORDER} > ($2, $3, $4)`} ORDER BY e.project_id, e."timestamp", e.id LIMIT $1)
       SELECT (SELECT block FROM event_shipping) AS block, (SELECT count(*)::int FROM step) AS events,
              ARRAY(SELECT DISTINCT project_id::text FROM step) AS projects, l.project_id, l."timestamp" AS at, l.id
       FROM step l ORDER BY l.project_id DESC, l."timestamp" DESC, l.id DESC LIMIT 1`,
      [limit, ...valuesOf(behind)],
    );
    const [row] = rows;
    if (row === undefined) return null;
    const { block, events, projects, at, id } = row;
    const last = { project: asProjectId(row.project_id), at, id };
    return { behind, last, events, projects: projects.map(asProjectId), block };
  }

  /** Returns the events of a project that belong to a step. The same statement reads which of them are queued. */
  async eventsOf(project: ProjectId, { behind, last }: BackfillStep): Promise<BackfillEvent[]> {
    const { bind, values } = new Parameters();
    const ofProject = bind(project);
    // The bounds compare timestamp and id. With the project in the row comparison, PostgreSQL could not use them as
    // bounds of the index.
    const bounds = [
      ...(last.project === project
        ? [`e."timestamp" <= ${bind(last.at)} AND (e."timestamp", e.id) <= (${bind(last.at)}, ${bind(last.id)})`]
        : []),
      ...(behind?.project === project
        ? [`e."timestamp" >= ${bind(behind.at)} AND (e."timestamp", e.id) > (${bind(behind.at)}, ${bind(behind.id)})`]
        : []),
    ];
    const { rows } = await this.client.query<BackfillEvent>(
      `WITH waiting AS MATERIALIZED (
         SELECT DISTINCT u.id FROM event_shipments s CROSS JOIN LATERAL unnest(s.ids) AS u (id) WHERE s.project_id = ${ofProject})
       SELECT e."timestamp" AS at, e.id, ${SIZE}::text AS size, w.id IS NOT NULL AS "isQueued"
       FROM events e LEFT JOIN waiting w ON w.id = e.id
       WHERE e.project_id = ${ofProject}${bounds.map((bound) => ` AND ${bound}`).join('')}
       ORDER BY e."timestamp", e.id`,
      values,
    );
    return rows;
  }

  /** Queues events that are neither queued nor in ClickHouse. */
  async enqueue(project: ProjectId, missing: readonly BackfillEvent[]): Promise<void> {
    await this.client.query(
      `INSERT INTO event_shipments (project_id, timestamps, ids, bytes)
       SELECT $1, array_agg(n.at), array_agg(n.id), sum(n.size)
       FROM (SELECT u.at, u.id, u.size, row_number() OVER w AS number, sum(u.size) OVER w AS total
             FROM unnest($2::timestamptz[], $3::uuid[], $4::bigint[]) AS u (at, id, size)
             WINDOW w AS (ROWS UNBOUNDED PRECEDING)) n
       GROUP BY ${QUEUE_ROW}`,
      [project, missing.map(({ at }) => at), missing.map(({ id }) => id), missing.map(({ size }) => size)],
    );
  }

  /**
   * Queues every event of the step that is not queued yet, for these projects, and saves the progress in the same
   * statement.
   * @param projects the projects of which ClickHouse had no event of this step. This was checked after the step was
   * read
   * @returns false, without any change, when a block was replicated meanwhile: ClickHouse may have some of these events
   * now
   */
  async completeStep({ behind, last, events, block }: BackfillStep, projects: readonly ProjectId[]): Promise<boolean> {
    // The confirmation of a block changes the same row, so it either waits for this statement or is visible to it. IS
    // TRUE keeps the condition on the projects out of the index scan, so that the row comparison bounds the scan.
    // Otherwise a scan would start at the first event of each project.
    const { rows } = await this.client.query<{ passed: boolean }>(
      `WITH here AS (
         UPDATE event_shipping SET moved_project = $1, moved_at = $2, moved_id = $3, moved_events = moved_events + $4
         WHERE block = $5 OR cardinality($6::uuid[]) = 0 RETURNING block),
       waiting AS MATERIALIZED (
         SELECT u.id FROM event_shipments s CROSS JOIN LATERAL unnest(s.ids) AS u (id) WHERE s.project_id = ANY ($6::uuid[])),
       kept AS (
         INSERT INTO event_shipments (project_id, timestamps, ids, bytes)
         SELECT n.project_id, array_agg(n."timestamp"), array_agg(n.id), sum(n.size)
         FROM (
           SELECT e.project_id, e."timestamp", e.id, e.size, row_number() OVER w AS number, sum(e.size) OVER w AS total
           FROM (
             SELECT e.project_id, e."timestamp", e.id, ${SIZE}::bigint AS size FROM events e
             WHERE (e.project_id = ANY ($6::uuid[])) IS TRUE AND ${ORDER} <= ($1, $2, $3) ${behind === null ? '' : `AND ${ORDER} > ($7, $8, $9)`}
               AND EXISTS (SELECT FROM here)
             ORDER BY e.project_id, e."timestamp", e.id) e
           WHERE NOT EXISTS (SELECT FROM waiting w WHERE w.id = e.id)
           WINDOW w AS (PARTITION BY e.project_id ORDER BY e."timestamp", e.id ROWS UNBOUNDED PRECEDING)) n
         GROUP BY n.project_id, ${QUEUE_ROW})
       SELECT EXISTS (SELECT FROM here) AS passed`,
      [...valuesOf(last), events, block, projects, ...valuesOf(behind)],
    );
    return rows[0]?.passed === true;
  }

  /** Returns the last queue row, or null when the queue is empty. */
  async lastQueueRow(): Promise<string | null> {
    const { rows } = await this.client.query<{ position: string | null }>(
      'SELECT /* every tenant: the last */ max(position)::text AS position FROM event_shipments',
    );
    return rows[0]?.position ?? null;
  }

  /** True when a queue row up to this one is left. */
  async waitsUpTo(position: string): Promise<boolean> {
    const { rows } = await this.client.query(
      'SELECT /* every tenant: whether there is one */ 1 FROM event_shipments WHERE position <= $1 LIMIT 1',
      [position],
    );
    return rows.length > 0;
  }

  /**
   * Returns the sums of the events that ClickHouse must have of each project, up to the last replicated block. All
   * numbers come from one snapshot.
   */
  async sums(): Promise<{
    readonly block: number;
    /**
     * Events before this instant are not counted, because PostgreSQL may have dropped them. Null when all events are
     * counted.
     */
    readonly from: Date | null;
    readonly projects: ProjectSum[];
  }> {
    await this.client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const { rows } = await this.client.query<{ block: number }>('SELECT block::float8 AS block FROM event_shipping');
      const from = await this.countedFrom();
      const projects = await projectSums(this.client, {
        relation: 'events',
        within: (column) => `${column} >= (SELECT events_hot_from())`,
      });
      return { block: rows[0]?.block ?? 0, from, projects };
    } finally {
      // The transaction was read-only. An error of COMMIT must not hide an earlier error.
      await this.client.query('COMMIT').catch(() => undefined);
    }
  }

  /** Returns the instant from which PostgreSQL has every event. Null when it has all events. */
  async countedFrom(): Promise<Date | null> {
    const { rows } = await this.client.query<{ from: Date | null }>(
      `SELECT nullif(events_hot_from(), '-infinity') AS from`,
    );
    return rows[0]?.from ?? null;
  }

  /**
   * Returns the number of events that ClickHouse must have of months that PostgreSQL has dropped, by month and project.
   */
  async archivedMonths(): Promise<ArchivedMonth[]> {
    const { rows } = await this.client.query<ArchivedMonth>(
      `SELECT /* every tenant: what each had */ m.month, (m.month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC' AS "nextMonth", m.project_id AS project,
              m.events::text AS events
       FROM cold_months m WHERE m.month >= (SELECT events_retained_from()) ORDER BY m.month, m.project_id`,
    );
    return this.living(rows);
  }

  /** Returns the rows whose projects exist and are not being deleted. */
  async living<Row extends { readonly project: string }>(rows: readonly Row[]): Promise<Row[]> {
    const states = await statesOver(this.client, rows);
    return rows.filter(({ project }) => states.get(project) === 'living');
  }

  /**
   * Marks the replica as complete, so that reads can use it.
   * @returns false when the replica was marked as incomplete meanwhile
   */
  async confirm(): Promise<boolean> {
    // Marking the replica as incomplete clears the progress. An empty store has no progress either, but is complete.
    const { rowCount } = await this.client.query(
      `UPDATE event_shipping SET is_whole = true
       WHERE moved_at IS NOT NULL OR block = 0 OR NOT EXISTS (SELECT /* every tenant: whether there is one */ FROM events)`,
    );
    return rowCount === 1;
  }

  async markIncomplete(): Promise<void> {
    await this.client.query(MARK_INCOMPLETE);
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

function valuesOf(locator: ProjectLocator | null): unknown[] {
  return locator === null ? [] : [locator.project, locator.at, locator.id];
}
