import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { LivingProjectsReader } from '../../../tenancy/projects/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { STATS_COLUMNS, statsSql, SERIES_SQL, WHOLE } from './request-stats.repository.js';
import { nameSql } from './names.repository.js';
import { OURS, WORK_MEMORY } from './rollup-lock.repository.js';

/** An hour keeps this many series of event types, and of sources: those with the most events. */
export const MOST_SERIES = 200;
/** An hour is rolled up this long after its start. Its last events may arrive until then. */
const SETTLED = `interval '1 hour 2 minutes'`;
export const RECENT = `interval '3 days'`;
/** Children first: otherwise ON DELETE CASCADE would remove them in one statement without a limit. */
const TABLES = ['endpoint_hours', 'event_series_hours', 'endpoint_days', 'hour_rollups', 'day_rollups'] as const;
/** The time limit of the statement that reads all events of an hour, which may be millions. */
const MOST_SECONDS = 300;

export interface DueHour {
  readonly projectId: ProjectId;
  readonly hour: Date;
  readonly events: number;
}

/** A position in the order of projects and hours. */
export interface HourCursor {
  readonly projectId: string;
  readonly hour: Date;
}

const DUE = `h.project_id AS "projectId", h.hour, h.events::float8 AS events`;

/** Builds the rollups of ended hours, and removes the rollups of deleted projects. */
@Injectable()
export class HourRollupsWriter {
  constructor(
    private readonly database: Database,
    private readonly living: LivingProjectsReader,
  ) {}

  /**
   * Returns ended hours of recent days whose rollup is missing or has fewer events than were counted since. Newest
   * first.
   */
  async recent(limit: number): Promise<DueHour[]> {
    const read = (besides: readonly ProjectId[]): Promise<DueHour[]> =>
      this.database.rows<DueHour>(
        `SELECT /* every tenant: each in its turn */ ${DUE}
       FROM event_hours h LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour
       WHERE h.project_id <> ALL ($2::uuid[]) AND h.hour > now() - ${RECENT} AND h.hour <= now() - ${SETTLED} AND r.counted IS DISTINCT FROM h.events
       ORDER BY h.hour DESC, h.project_id LIMIT $1`,
        [limit, besides],
      );
    return this.living.rows(read, ({ projectId }) => projectId);
  }

  /**
   * Returns the same as {@link recent}, among the next hours after a cursor, regardless of their age. @returns the
   * hours, and the last hour that was checked; null at the end
   */
  async behind(cursor: HourCursor, limit: number): Promise<{ due: DueHour[]; last: HourCursor | null }> {
    const rows = await this.database.rows<DueHour & { isDue: boolean }>(
      `WITH page AS MATERIALIZED (
         SELECT /* every tenant: each in its turn */ h.project_id, h.hour, h.events FROM event_hours h
         WHERE (h.project_id, h.hour) > ($1, $2::timestamptz) ORDER BY h.project_id, h.hour LIMIT $3),
       marked AS (
         SELECT h.*, h.hour <= now() - ${SETTLED} AND h.hour >= (SELECT events_hot_from()) AND r.counted IS DISTINCT FROM h.events AS due,
                row_number() OVER (ORDER BY h.project_id DESC, h.hour DESC) AS from_end
         FROM page h LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour)
       SELECT ${DUE}, h.due AS "isDue" FROM marked h WHERE h.due OR h.from_end = 1 ORDER BY h.project_id, h.hour`,
      [cursor.projectId, cursor.hour, limit],
    );
    const due = rows.filter(({ isDue }) => isDue).reverse();
    const living = await this.living.among(due.map(({ projectId }) => projectId));
    return { due: due.filter(({ projectId }) => living.has(projectId)), last: rows.at(-1) ?? null };
  }

  /**
   * Builds the rollups of hours of a project. Does nothing when another process builds rollups of the project. Existing
   * rollups are replaced in one transaction.
   * @returns the number of built rollups
   */
  make(projectId: ProjectId, hours: readonly Date[]): Promise<number> {
    return this.database.transaction(async (tx) => {
      const [lock] = await this.database.rows<{ ours: boolean }>(OURS, [projectId], tx);
      if (lock?.ours !== true) return 0;
      await this.database.execute(`SET LOCAL statement_timeout = '${MOST_SECONDS}s'`, [], tx);
      await this.database.execute(`SET LOCAL work_mem = '${WORK_MEMORY}'`, [], tx);
      // Another process may have built the rollups before the lock was acquired, or the month may be archived by now.
      const due = await this.database.rows<{ hour: Date }>(
        `SELECT h.hour FROM event_hours h LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour
         WHERE h.project_id = $1 AND h.hour = ANY ($2::timestamptz[]) AND r.counted IS DISTINCT FROM h.events
           AND h.hour >= (SELECT events_hot_from())`,
        [projectId, hours],
        tx,
      );
      if (due.length === 0) return 0;
      const wanted = [projectId, due.map(({ hour }) => hour)];
      await this.database.execute(
        'DELETE FROM hour_rollups WHERE project_id = $1 AND hour = ANY ($2::timestamptz[])',
        wanted,
        tx,
      );
      await this.insert(wanted, tx);
      return due.length;
    });
  }

  /** Removes rollups of a deleted project. @returns the number of removed rows */
  async removeOf(projectId: ProjectId, limit: number): Promise<number> {
    let removed = 0;
    for (const table of TABLES) {
      removed += await this.database.execute(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE project_id = $1 LIMIT $2))`,
        [projectId, limit - removed],
      );
      if (removed >= limit) break;
    }
    return removed;
  }

  /** Reads and inserts in one statement, so that `counted` is exactly the number of events that the rollup contains. */
  private async insert(wanted: readonly unknown[], tx: Db): Promise<void> {
    const names = `project_id, hour, place, method, endpoint, requests, ${STATS_COLUMNS}`;
    await this.database.execute(
      `WITH raw_requests AS MATERIALIZED (
         SELECT w.hour AS part, found.* FROM unnest($2::timestamptz[]) AS w (hour)
         CROSS JOIN LATERAL (
           SELECT "timestamp" AS at, event, source_id::text AS source, ${nameSql('log_method')} AS method,
                  ${nameSql('log_endpoint')} AS endpoint,
                  log_status AS status, CASE WHEN log_has_latency THEN log_latency_ms END AS latency, 1 AS n
           FROM events WHERE project_id = $1 AND "timestamp" >= w.hour AND "timestamp" < w.hour + interval '1 hour'
           OFFSET 0) found),
       ${statsSql('both')},
       ${SERIES_SQL},
       kept AS MATERIALIZED (SELECT * FROM stats),
       counted AS (
         SELECT part, count(DISTINCT event)::int AS event_types, count(DISTINCT source)::int AS sources FROM raw_requests GROUP BY 1),
       endpoints AS (
         INSERT INTO endpoint_hours (${names})
         SELECT $1, part, place, method, endpoint, requests, ${STATS_COLUMNS} FROM kept WHERE place <> ${WHOLE}),
       charted AS (
         INSERT INTO event_series_hours (project_id, hour, kind, value, slots, events, errors, measured, p95)
         SELECT $1, part, kind, value, slots, events, errors, measured, p95
         FROM (SELECT *, row_number() OVER (PARTITION BY part, kind ORDER BY (SELECT sum(n) FROM unnest(events) AS n) DESC, value)
                 AS rank FROM series) ranked WHERE rank <= ${MOST_SERIES})
       INSERT INTO hour_rollups (project_id, hour, counted, event_types, sources, pairs, ${STATS_COLUMNS})
       SELECT $1, part, requests, event_types, sources, (SELECT max(pair) + 1 FROM paired p WHERE p.part = kept.part), ${STATS_COLUMNS}
       FROM kept JOIN counted USING (part) WHERE place = ${WHOLE}`,
      wanted,
      tx,
    );
  }
}
