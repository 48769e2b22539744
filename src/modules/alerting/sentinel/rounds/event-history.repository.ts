import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** Event types of a project that are watched, those with the most events. */
const MOST_TYPES = 200;
const MOST_SOURCES = 200;
/** Endpoints that begin like this stand for events without one (SERVICE 2.8). */
const CARRIED = `log_endpoint NOT LIKE '/events/%'`;

/** A type that had no event before. */
export interface NewEventType {
  readonly event: string;
  readonly firstEventId: string;
}

interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** What Sentinel asks of a project's events beside their series. Times are those of the events. */
@Injectable()
export class EventHistoryRepository {
  constructor(private readonly database: Database) {}

  /** How many events there are, and since when. */
  async extent(projectId: ProjectId, { from, to }: Period, tx: Db): Promise<{ events: number; oldest: Date | null }> {
    const [row] = await this.database.rows<{ events: number; oldest: Date | null }>(
      `SELECT (SELECT coalesce(sum(events), 0)::float8 FROM event_hours WHERE project_id = $1 AND hour >= $2 AND hour < $3) AS events,
              (SELECT min(e."timestamp") FROM events e WHERE e.project_id = $1 AND e."timestamp" < o.hour + interval '1 hour'
                 AND e."timestamp" >= o.hour) AS oldest
       FROM (SELECT min(hour) AS hour FROM event_hours WHERE project_id = $1) o`,
      [projectId, from, to],
      tx,
    );
    return row ?? { events: 0, oldest: null };
  }

  /** The series that are watched beside the whole: types and Event Sources with the most events of a period of whole days. */
  async series(projectId: ProjectId, { from, to }: Period, tx: Db): Promise<{ events: string[]; sources: string[] }> {
    const rows = await this.database.rows<{ type: 'event' | 'source'; value: string }>(
      `WITH counted AS MATERIALIZED (
         SELECT event, source_id, sum(events) AS events FROM event_facet_days
         WHERE project_id = $1 AND day >= date_trunc('day', $2::timestamptz, 'UTC') AND day < $3 GROUP BY 1, 2)
       (SELECT 'event' AS type, event AS value FROM counted GROUP BY event ORDER BY sum(events) DESC, event LIMIT ${MOST_TYPES})
       UNION ALL
       (SELECT 'source', source_id::text FROM counted WHERE source_id IS NOT NULL
        GROUP BY source_id ORDER BY sum(events) DESC, source_id LIMIT ${MOST_SOURCES})`,
      [projectId, from, to],
      tx,
    );
    const of = (type: string): string[] => rows.filter((row) => row.type === type).map(({ value }) => value);
    return { events: of('event'), sources: of('source') };
  }

  /** The newest events of series before a time; those without one are left out. */
  async lastEvents(
    projectId: ProjectId,
    { events, sources, project }: { events: readonly string[]; sources: readonly string[]; project: boolean },
    before: Date,
    tx: Db,
  ): Promise<{ type: 'project' | 'event' | 'source'; value: string; at: Date }[]> {
    const last = 'ORDER BY e."timestamp" DESC LIMIT 1';
    return this.database.rows(
      `SELECT 'event' AS type, w.value, l.at FROM unnest($3::text[]) AS w (value) CROSS JOIN LATERAL (
         SELECT e."timestamp" AS at FROM events e WHERE e.project_id = $1 AND e.event = w.value AND e."timestamp" < $2 ${last}) l
       UNION ALL
       SELECT 'source', w.value::text, l.at FROM unnest($4::uuid[]) AS w (value) CROSS JOIN LATERAL (
         SELECT e."timestamp" AS at FROM events e WHERE e.project_id = $1 AND e.source_id = w.value AND e."timestamp" < $2 ${last}) l
       UNION ALL
       SELECT 'project', '', l.at FROM (
         SELECT e."timestamp" AS at FROM events e WHERE $5 AND e.project_id = $1 AND e."timestamp" < $2 ${last}) l`,
      [projectId, before, events, sources, project],
      tx,
    );
  }

  /** Types whose first event of all lies in a period, in the order in which they came. @param known those that need no look */
  newTypes(projectId: ProjectId, { from, to }: Period, known: readonly string[], tx: Db): Promise<NewEventType[]> {
    return this.database.rows<NewEventType>(
      `SELECT f.event, f.id AS "firstEventId" FROM (
         SELECT DISTINCT ON (e.event) e.event, e."timestamp" AS at, e.id FROM events e
         WHERE e.project_id = $1 AND e."timestamp" >= $2 AND e."timestamp" < $3 AND e.event <> ALL ($4::text[])
         ORDER BY e.event, e."timestamp", e.id) f
       WHERE NOT EXISTS (SELECT FROM events o WHERE o.project_id = $1 AND o.event = f.event AND o."timestamp" < $2)
       ORDER BY f.at, f.id`,
      [projectId, from, to, known],
      tx,
    );
  }

  async distinct(
    projectId: ProjectId,
    { from, to }: Period,
    tx: Db,
  ): Promise<{ eventTypes: number; endpoints: number }> {
    const [row] = await this.database.rows<{ eventTypes: number; endpoints: number }>(
      // Pairs first: these are few, and a list of all rows would be put in order twice.
      `SELECT count(DISTINCT event)::int AS "eventTypes", count(DISTINCT endpoint)::int AS endpoints
       FROM (SELECT event, CASE WHEN ${CARRIED} THEN log_endpoint END AS endpoint FROM events
             WHERE project_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3 GROUP BY 1, 2) pairs`,
      [projectId, from, to],
      tx,
    );
    return row ?? { eventTypes: 0, endpoints: 0 };
  }

  /** The most {@link distinct} values in any hour of a period: from rollups where these are right, else from the rows. Null: no event. */
  async mostDistinct(
    projectId: ProjectId,
    { from, to }: Period,
    tx: Db,
  ): Promise<{ eventTypes: number | null; endpoints: number | null }> {
    const [row] = await this.database.rows<{ eventTypes: number | null; endpoints: number | null }>(
      `SELECT max(coalesce(r.event_types, v.event_types)) AS "eventTypes", max(coalesce(p.endpoints, v.endpoints)) AS endpoints
       FROM event_hours h
       LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour AND r.counted = h.events
       LEFT JOIN LATERAL (
         SELECT count(DISTINCT endpoint)::int AS endpoints FROM endpoint_hours e
         WHERE r.hour IS NOT NULL AND e.project_id = $1 AND e.hour = r.hour AND endpoint NOT LIKE '/events/%') p ON r.hour IS NOT NULL
       LEFT JOIN LATERAL (
         SELECT count(DISTINCT event)::int AS event_types, (count(DISTINCT log_endpoint) FILTER (WHERE ${CARRIED}))::int AS endpoints
         FROM events WHERE r.hour IS NULL AND project_id = $1 AND "timestamp" >= h.hour AND "timestamp" < h.hour + interval '1 hour') v
         ON r.hour IS NULL
       WHERE h.project_id = $1 AND h.hour >= $2 AND h.hour < $3`,
      [projectId, from, to],
      tx,
    );
    return row ?? { eventTypes: null, endpoints: null };
  }

  /** Events of a period that show what a finding is about, newest first. */
  async samples(
    projectId: ProjectId,
    { from, to }: Period,
    { event, source, errors }: { event: string | null; source: string | null; errors: boolean },
    limit: number,
    tx: Db,
  ): Promise<string[]> {
    const rows = await this.database.rows<{ id: string }>(
      `SELECT id FROM events WHERE project_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3
         AND ($4::text IS NULL OR event = $4) AND ($5::uuid IS NULL OR source_id = $5) AND (NOT $6 OR log_status >= 500)
       ORDER BY "timestamp" DESC, id DESC LIMIT $7`,
      [projectId, from, to, event, source, errors, limit],
      tx,
    );
    return rows.map(({ id }) => id);
  }
}
