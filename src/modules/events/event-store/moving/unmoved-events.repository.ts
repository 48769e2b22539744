import pg from 'pg';
import { asProjectId, type ProjectId } from '../../../access/index.js';
import { projectSumsSql } from '../shipping/project-sums.repository.js';
import type { ProjectSum, StoredPlace } from '../shipping/stored-events.repository.js';
import { DOUBT } from '../shipping/waiting-events.repository.js';

/** Bounds of a shipment, as those have that come with the events themselves. */
const MOST_EVENTS = 1_000;
const MOST_BYTES = 8_388_608;

/** An event that was looked at. */
export interface LookedEvent extends StoredPlace {
  /** What it takes to copy it, in bytes. */
  readonly size: string;
  /** It is among what is copied next. */
  readonly isWaiting: boolean;
}

/** How far all events have been looked through; the place is null at the beginning. */
export interface MovingState {
  readonly isWhole: boolean;
  readonly project: ProjectId | null;
  readonly place: StoredPlace | null;
  readonly events: number;
}

/** What there was of a project when its month was dropped. */
export interface ColdMonth {
  readonly month: Date;
  readonly nextMonth: Date;
  readonly project: string;
  readonly events: string;
}

interface StateRow {
  readonly is_whole: boolean;
  readonly moved_project: string | null;
  readonly moved_at: Date | null;
  readonly moved_id: string | null;
  readonly moved_events: number;
}

/** All events of PostgreSQL, in the order of project, timestamp and id, over a connection of its own. */
export class UnmovedEventsRepository {
  private constructor(private readonly client: pg.Client) {}

  static async open(databaseUrl: string): Promise<UnmovedEventsRepository> {
    const client = new pg.Client({ connectionString: databaseUrl, application_name: 'service-moving' });
    // Whoever asks next is told that the connection is lost.
    client.on('error', () => undefined);
    await client.connect();
    // The check at the end looks at every event.
    await client.query('SET statement_timeout = 0');
    return new UnmovedEventsRepository(client);
  }

  /** Has what is stored from now on kept for copying, too. @returns whether nobody else moves events */
  async begin(): Promise<boolean> {
    await this.client.query('SELECT begin_event_shipping()');
    const { rows } = await this.client.query<{ ours: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('event-moving', 0)) AS ours`,
    );
    return rows[0]?.ours === true;
  }

  async state(): Promise<MovingState> {
    const { rows } = await this.client.query<StateRow>(
      'SELECT is_whole, moved_project, moved_at, moved_id, moved_events::float8 AS moved_events FROM event_shipping',
    );
    const [row] = rows;
    if (row === undefined) throw new Error('events are not kept for copying any more');
    const { moved_project: project, moved_at: at, moved_id: id } = row;
    return {
      isWhole: row.is_whole,
      project: project === null ? null : asProjectId(project),
      place: at === null || id === null ? null : { at, id },
      events: row.moved_events,
    };
  }

  /** How many events there are, as they were counted when they were stored. */
  async total(): Promise<number> {
    const { rows } = await this.client.query<{ events: number }>(
      `SELECT /* every tenant: how many */ coalesce(sum(events), 0)::float8 AS events FROM event_hours
       WHERE hour >= (SELECT events_hot_from())`,
    );
    return rows[0]?.events ?? 0;
  }

  /** The next project that has events; the first one behind null. */
  async projectBehind(project: ProjectId | null): Promise<ProjectId | null> {
    const { rows } = await this.client.query<{ project_id: string }>(
      `SELECT /* every tenant: one after the other */ project_id FROM events
       ${project === null ? '' : 'WHERE project_id > $1'} ORDER BY project_id LIMIT 1`,
      project === null ? [] : [project],
    );
    return rows[0] === undefined ? null : asProjectId(rows[0].project_id);
  }

  /** The events behind a place; those that wait are told in the statement that reads them. */
  async eventsBehind(project: ProjectId, place: StoredPlace | null, limit: number): Promise<LookedEvent[]> {
    const { rows } = await this.client.query<LookedEvent>(
      `WITH waiting AS MATERIALIZED (
         SELECT u.id FROM event_shipments s CROSS JOIN LATERAL unnest(s.ids) AS u (id) WHERE s.project_id = $1)
       SELECT e."timestamp" AS at, e.id, (300 + coalesce(e.bytes, 4 * pg_column_size(e.properties)))::text AS size,
              e.id IN (SELECT id FROM waiting) AS "isWaiting"
       FROM events e WHERE e.project_id = $1 ${place === null ? '' : 'AND e."timestamp" >= $3 AND (e."timestamp", e.id) > ($3, $4)'}
       ORDER BY e."timestamp", e.id LIMIT $2`,
      place === null ? [project, limit] : [project, limit, place.at, place.id],
    );
    return rows;
  }

  /** Has those copied that the event store lacks, and remembers what was looked at: both or neither. */
  async pass(project: ProjectId, looked: readonly LookedEvent[], missing: readonly LookedEvent[]): Promise<void> {
    const last = looked.at(-1);
    if (last === undefined) return;
    await this.client.query(
      `WITH kept AS (
         INSERT INTO event_shipments (project_id, timestamps, ids, bytes)
         SELECT $1, array_agg(n.at), array_agg(n.id), sum(n.size)
         FROM (SELECT u.at, u.id, u.size, row_number() OVER w AS number, sum(u.size) OVER w AS total
               FROM unnest($2::timestamptz[], $3::uuid[], $4::bigint[]) AS u (at, id, size)
               WINDOW w AS (ROWS UNBOUNDED PRECEDING)) n
         GROUP BY (n.number - 1) / ${MOST_EVENTS}, div(n.total, ${MOST_BYTES}))
       UPDATE event_shipping SET moved_project = $1, moved_at = $5, moved_id = $6, moved_events = moved_events + $7`,
      [
        project,
        missing.map(({ at }) => at),
        missing.map(({ id }) => id),
        missing.map(({ size }) => size),
        last.at,
        last.id,
        looked.length,
      ],
    );
  }

  /** The last shipment there is; null without any. */
  async lastShipment(): Promise<string | null> {
    const { rows } = await this.client.query<{ position: string | null }>(
      'SELECT /* every tenant: the last */ max(position)::text AS position FROM event_shipments',
    );
    return rows[0]?.position ?? null;
  }

  /** Whether one up to this one waits. */
  async waitsUpTo(position: string): Promise<boolean> {
    const { rows } = await this.client.query(
      'SELECT /* every tenant: whether there is one */ 1 FROM event_shipments WHERE position <= $1 LIMIT 1',
      [position],
    );
    return rows.length > 0;
  }

  /** What the event store has to have up to the block that was copied last: of one moment. */
  async sums(): Promise<{
    readonly block: number;
    /** Events before it are not counted, since PostgreSQL may have dropped them; null: all are. */
    readonly from: Date | null;
    readonly projects: ProjectSum[];
  }> {
    await this.client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      const { rows } = await this.client.query<{ block: number }>('SELECT block::float8 AS block FROM event_shipping');
      const from = await this.countedFrom();
      const { rows: projects } = await this.client.query<ProjectSum>(
        projectSumsSql({ relation: 'events', within: (column) => `${column} >= (SELECT events_hot_from())` }),
      );
      return { block: rows[0]?.block ?? 0, from, projects };
    } finally {
      // It has written nothing, and what went wrong before is what is told.
      await this.client.query('COMMIT').catch(() => undefined);
    }
  }

  /** Since when PostgreSQL has every event that is kept; null: from the first one on. */
  async countedFrom(): Promise<Date | null> {
    const { rows } = await this.client.query<{ from: Date | null }>(
      `SELECT nullif(events_hot_from(), '-infinity') AS from`,
    );
    return rows[0]?.from ?? null;
  }

  /** What the event store had of months that PostgreSQL has dropped since, by month and project. */
  async coldMonths(): Promise<ColdMonth[]> {
    const { rows } = await this.client.query<ColdMonth>(
      `SELECT /* every tenant: what each had */ m.month, m.month + interval '1 month' AS "nextMonth", m.project_id AS project,
              m.events::text AS events
       FROM cold_months m JOIN projects p ON p.id = m.project_id AND p.deleted_at IS NULL
       WHERE m.month >= (SELECT events_retained_from()) ORDER BY m.month, m.project_id`,
    );
    return rows;
  }

  /**
   * Every event was looked for and found: reads may do with the copy.
   * @returns false where it was doubted meanwhile
   */
  async confirm(): Promise<boolean> {
    // What was doubted has no place, as what has no events.
    const { rowCount } = await this.client.query(
      `UPDATE event_shipping SET is_whole = true
       WHERE moved_at IS NOT NULL OR block = 0 OR NOT EXISTS (SELECT /* every tenant: whether there is one */ FROM events)`,
    );
    return rowCount === 1;
  }

  async doubt(): Promise<void> {
    await this.client.query(DOUBT);
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
