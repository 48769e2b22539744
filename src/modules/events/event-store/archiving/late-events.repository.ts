import type pg from 'pg';
import { statesOver } from '../replication/project-sums.repository.js';
import type { ProjectLocator } from '../replication/replicated-events.repository.js';

/** With more rows in the replication queue, late events are not removed. */
const MAX_QUEUE_ROWS = 5_000;

/** Late events on some pages of the default partition. */
export interface LatePages {
  /** The events of existing projects, ordered by project and time. */
  readonly events: readonly ProjectLocator[];
  /** The number of all pages of the partition, 8 kB each. */
  readonly pages: number;
}

/**
 * The state of late events: the work that is left for them, and the last replicated block. Both are read at one moment.
 */
export interface LateState {
  /** The last block that was replicated. */
  readonly block: number;
  /** Ids of events that still have to be replicated, matched by rules or notified. */
  readonly waiting: ReadonlySet<string>;
}

/**
 * Reads and removes late events, which arrived after their month was archived. Uses the connection that drops months.
 */
export class LateEventsRepository {
  constructor(private readonly client: pg.Client) {}

  /**
   * Returns the late events on some pages that are older than an instant. Events past retention are excluded.
   * @param apart detached months, whose late events are left out
   */
  async among(
    before: Date,
    apart: readonly { readonly from: Date; readonly to: Date }[],
    { from, pages }: { readonly from: number; readonly pages: number },
  ): Promise<LatePages> {
    const { rows } = await this.client.query<{
      project: ProjectLocator['project'] | null;
      at: Date;
      id: string;
      pages: number;
    }>(
      `SELECT /* every tenant: their events share partitions */ e.project_id AS project, e."timestamp" AS at, e.id,
              (SELECT pg_relation_size('events_default') / current_setting('block_size')::int)::float8 AS pages
       FROM (SELECT) one LEFT JOIN (
         SELECT e.project_id, e."timestamp", e.id FROM events_default e
         WHERE e.ctid >= $2::tid AND e.ctid < $3::tid AND e."timestamp" < $1 AND e."timestamp" >= (SELECT events_retained_from())
           AND NOT EXISTS (SELECT FROM unnest($4::timestamptz[], $5::timestamptz[]) AS m (begins, ends)
             WHERE e."timestamp" >= m.begins AND e."timestamp" < m.ends)) e ON true
       ORDER BY e.project_id, e."timestamp"`,
      [before, `(${from},0)`, `(${from + pages},0)`, apart.map((month) => month.from), apart.map((month) => month.to)],
    );
    const events = rows.flatMap(({ project, at, id }) => (project === null ? [] : [{ project, at, id }]));
    const states = await statesOver(this.client, events);
    return { events: events.filter(({ project }) => states.get(project) === 'living'), pages: rows[0]?.pages ?? 0 };
  }

  /** True when the replication queue is so long that searching it takes long. */
  async isFarBehind(): Promise<boolean> {
    const { rows } = await this.client.query<{ behind: boolean }>(
      `SELECT count(*) > ${MAX_QUEUE_ROWS} AS behind FROM (
         SELECT /* every tenant: how many there are */ FROM event_shipments LIMIT ${MAX_QUEUE_ROWS + 1}) waiting`,
    );
    return rows[0]?.behind !== false;
  }

  /** @returns null when some events are neither replicated nor queued */
  async state(events: readonly ProjectLocator[]): Promise<LateState | null> {
    const of = [[...new Set(events.map(({ project }) => project))], events.map(({ id }) => id)];
    const { rows } = await this.client.query<{ block: number; waiting: string[] }>(
      `SELECT p.block::float8 AS block, ARRAY(
         SELECT u.id FROM event_shipments s CROSS JOIN LATERAL unnest(s.ids) AS u (id)
         WHERE s.project_id = ANY ($1::uuid[]) AND u.id = ANY ($2::uuid[])
         UNION ALL
         SELECT u.id FROM event_outbox o CROSS JOIN LATERAL unnest(o.event_ids) AS u (id)
         WHERE o.project_id = ANY ($1::uuid[]) AND u.id = ANY ($2::uuid[]))::text[] AS waiting
       FROM event_shipping p WHERE p.is_whole`,
      of,
    );
    const [row] = rows;
    if (row === undefined) return null;
    // Read after the outbox, so that an event that moves from there to the firings meanwhile is found.
    const { rows: told } = await this.client.query<{ id: string }>(
      `SELECT f.event_id AS id FROM alert_rule_firings f
       WHERE f.project_id = ANY ($1::uuid[]) AND f.event_id = ANY ($2::uuid[])`,
      of,
    );
    return { block: row.block, waiting: new Set([...row.waiting, ...told.map(({ id }) => id)]) };
  }

  /**
   * Removes events that ClickHouse has up to a block, and records that it has them, in one statement.
   * @returns the number of removed events; 0 when the replica is no longer confirmed to be complete
   */
  async remove(events: readonly ProjectLocator[], block: number): Promise<number> {
    const { rows } = await this.client.query<{ removed: number }>(
      `WITH gone AS (
         DELETE /* every tenant: those that are named */ FROM events_default WHERE ctid = ANY (ARRAY(
           SELECT f.ctid FROM unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) AS w (project, at, which)
           CROSS JOIN LATERAL (SELECT e.ctid FROM events_default e
             WHERE e.project_id = w.project AND e."timestamp" = w.at AND e.id = w.which OFFSET 0) f
           WHERE EXISTS (SELECT FROM event_shipping p WHERE p.is_whole AND p.block >= $4)))
         RETURNING project_id, "timestamp"),
       remembered AS (
         INSERT INTO cold_months AS m (project_id, month, events)
         SELECT project_id, date_trunc('month', "timestamp", 'UTC'), count(*) FROM gone GROUP BY 1, 2
         ON CONFLICT ON CONSTRAINT pk_cold_months DO UPDATE SET events = m.events + excluded.events)
       SELECT count(*)::int AS removed FROM gone`,
      [events.map(({ project }) => project), events.map(({ at }) => at), events.map(({ id }) => id), block],
    );
    return rows[0]?.removed ?? 0;
  }
}
