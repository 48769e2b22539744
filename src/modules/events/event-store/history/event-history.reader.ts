import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** Event types of a project that are watched, those with the most events. */
const MOST_TYPES = 200;
const MOST_SOURCES = 200;
const FACETS_READ_A_DAY = 100_000;
const FACETS_COUNTED_A_DAY = 5_000;
/** Series of an hour that its rollup keeps; events of others are looked for, which are the fewest. */
const KEPT_SERIES = 200;
const SHARE_OF_OTHERS = 10;
/** Rows that distinct values of an hour are counted in, the newest. */
const DISTINCT_ROWS = 100_000;
/** Rows that new types of a bucket are looked for in. */
const NEW_TYPE_ROWS = 20_000;
/** Endpoints that begin like this stand for events without one (SERVICE 2.8). */
const CARRIED = `log_endpoint NOT LIKE '/events/%'`;

/** Told apart by 64 bits: long texts in the order of a language take ten times as long. */
const distinctSql = (value: 'event' | 'endpoint'): string => `count(DISTINCT hashtextextended(${value}, 0))::int`;

/** Of the hours of $1's events from $2 to $3: from rollups where these are right, else from the rows. */
const DISTINCT_OF_HOURS = `
  SELECT h.hour, coalesce(r.event_types, v.event_types) AS "eventTypes", coalesce(p.endpoints, v.endpoints) AS endpoints
  FROM event_hours h
  LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour AND r.counted = h.events
  LEFT JOIN LATERAL (
    SELECT count(DISTINCT endpoint)::int AS endpoints FROM endpoint_hours e
    WHERE r.hour IS NOT NULL AND e.project_id = $1 AND e.hour = r.hour AND endpoint NOT LIKE '/events/%') p ON r.hour IS NOT NULL
  LEFT JOIN LATERAL (
    SELECT ${distinctSql('event')} AS event_types, ${distinctSql('endpoint')} AS endpoints
    FROM (SELECT event, CASE WHEN ${CARRIED} THEN log_endpoint END AS endpoint FROM events
          WHERE r.hour IS NULL AND project_id = $1 AND "timestamp" >= h.hour AND "timestamp" < h.hour + interval '1 hour'
          ORDER BY "timestamp" DESC LIMIT ${DISTINCT_ROWS}) newest) v ON r.hour IS NULL
  WHERE h.project_id = $1 AND h.hour >= $2 AND h.hour < $3`;

/** How many distinct values an hour has. */
interface DistinctValues {
  readonly hour: Date;
  readonly eventTypes: number;
  readonly endpoints: number;
}

/** An hour that has events, and how many of these have to be looked at since no rollup has added them up. */
export interface UntoldHour {
  readonly hour: Date;
  readonly rows: number;
}

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
export class EventHistoryReader {
  constructor(private readonly database: Database) {}

  /**
   * How many events a period has, and since when. An event of long ago is no beginning: where events lie on fewer than three
   * days, which are counted back from the end of the period, and on others between them there are none, it begins at its end.
   */
  async extent(projectId: ProjectId, { from, to }: Period, tx: Db): Promise<{ events: number; oldest: Date | null }> {
    const [row] = await this.database.rows<{ events: number; oldest: Date | null }>(
      `SELECT coalesce(h.events, 0)::float8 AS events,
              CASE WHEN h.first IS NULL THEN NULL
                   WHEN h.days < least(3, ceil(extract(epoch FROM $3::timestamptz - h.first) / 86400)) THEN $3::timestamptz
                   ELSE coalesce((SELECT min(e."timestamp") FROM events e
                          WHERE e.project_id = $1 AND e."timestamp" >= h.first AND e."timestamp" < h.first + interval '1 hour'
                            AND h.first >= events_hot_from()), h.first) END AS oldest
       FROM (SELECT sum(events) AS events, min(hour) FILTER (WHERE hour >= r.retained_from) AS first,
                    count(DISTINCT ceil(extract(epoch FROM $3::timestamptz - hour) / 86400)) FILTER (WHERE hour >= r.retained_from) AS days
             FROM event_hours, (SELECT events_retained_from() AS retained_from) r
             WHERE project_id = $1 AND hour >= $2 AND hour < $3::timestamptz) h`,
      [projectId, from, to],
      tx,
    );
    return row ?? { events: 0, oldest: null };
  }

  /** Hours of a period with events, newest first, and what of them rollups do not tell. */
  hours(projectId: ProjectId, { from, to }: Period, tx: Db): Promise<UntoldHour[]> {
    return this.database.rows<UntoldHour>(
      `SELECT h.hour, (CASE WHEN r.counted IS DISTINCT FROM h.events THEN h.events
                            WHEN greatest(r.event_types, r.sources) > ${KEPT_SERIES} THEN h.events / ${SHARE_OF_OTHERS} ELSE 0 END)::float8 AS rows
       FROM event_hours h LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour
       WHERE h.project_id = $1 AND h.hour >= $2 AND h.hour < $3 ORDER BY h.hour DESC`,
      [projectId, from, to],
      tx,
    );
  }

  /** The series that are watched beside the whole: types and Event Sources with the most events of a period of whole days. */
  async series(projectId: ProjectId, { from, to }: Period, tx: Db): Promise<{ events: string[]; sources: string[] }> {
    const rows = await this.database.rows<{ type: 'event' | 'source'; value: string }>(
      // Of a day the combinations with the most events, among as many as are read of it at all: an id in the event type makes
      // hundreds of thousands of them. Among equals the name decides, not the way that the database reads them.
      `WITH counted AS MATERIALIZED (
         SELECT f.event, f.source_id, sum(f.events) AS events
         FROM generate_series(date_trunc('day', $2::timestamptz, 'UTC'), $3::timestamptz - interval '1 hour', interval '1 day') AS d (day)
         CROSS JOIN LATERAL (
           SELECT * FROM (SELECT event, source_id, events FROM event_facet_days WHERE project_id = $1 AND day = d.day
                          LIMIT ${FACETS_READ_A_DAY}) part ORDER BY events DESC, event COLLATE "C", source_id LIMIT ${FACETS_COUNTED_A_DAY}) f
         GROUP BY 1, 2)
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

  /**
   * Types whose first event of all lies in a period, in the order in which they came.
   * @param known those that need no look; among the others only the first events of the period are looked at
   */
  newTypes(
    projectId: ProjectId,
    { from, to }: Period,
    known: readonly string[],
    limit: number,
    tx: Db,
  ): Promise<NewEventType[]> {
    return this.database.rows<NewEventType>(
      // One look along the index for each, until enough are found: joined, ten thousand types at once would be compared with
      // all that the project has, by a plan that does not know of them yet.
      `SELECT f.event, f.id AS "firstEventId" FROM (
         SELECT event, at, id FROM (
           SELECT DISTINCT ON (e.event) e.event, e."timestamp" AS at, e.id FROM (
             SELECT event, "timestamp", id FROM events
             WHERE project_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3 AND event <> ALL ($4::text[])
             ORDER BY "timestamp", id LIMIT ${NEW_TYPE_ROWS}) e
           ORDER BY e.event, e."timestamp", e.id) firsts
         ORDER BY at, id OFFSET 0) f
       WHERE (SELECT o.id FROM events o WHERE o.project_id = $1 AND o.event = f.event AND o."timestamp" < $2
              ORDER BY o."timestamp" DESC LIMIT 1) IS NULL
         -- Of months that PostgreSQL has dropped there are the counters: read once, where a type is new to the others.
         AND f.event NOT IN (SELECT d.event FROM event_facet_days d WHERE d.project_id = $1
                               AND d.day < (SELECT hot_from FROM hot_events) AND d.day >= (SELECT events_retained_from()))
       LIMIT $5`,
      [projectId, from, to, known, limit],
      tx,
    );
  }

  /** How many there are in a period, among its newest rows: of more than that nobody asks how many. */
  async distinct(
    projectId: ProjectId,
    { from, to }: Period,
    tx: Db,
  ): Promise<{ eventTypes: number; endpoints: number }> {
    const [row] = await this.database.rows<{ eventTypes: number; endpoints: number }>(
      `SELECT ${distinctSql('event')} AS "eventTypes", ${distinctSql('endpoint')} AS endpoints
       FROM (SELECT event, CASE WHEN ${CARRIED} THEN log_endpoint END AS endpoint FROM events
             WHERE project_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3
             ORDER BY "timestamp" DESC LIMIT ${DISTINCT_ROWS}) newest`,
      [projectId, from, to],
      tx,
    );
    return row ?? { eventTypes: 0, endpoints: 0 };
  }

  /** The most {@link distinct} values in any hour of a period. Null: no event. */
  async mostDistinct(
    projectId: ProjectId,
    { from, to }: Period,
    tx: Db,
  ): Promise<{ eventTypes: number | null; endpoints: number | null }> {
    const [row] = await this.database.rows<{ eventTypes: number | null; endpoints: number | null }>(
      `SELECT max("eventTypes") AS "eventTypes", max(endpoints) AS endpoints FROM (${DISTINCT_OF_HOURS}) counted`,
      [projectId, from, to],
      tx,
    );
    return row ?? { eventTypes: null, endpoints: null };
  }

  /** The {@link distinct} values of each hour of a period that has events, in the order of time. */
  distinctOfHours(projectId: ProjectId, { from, to }: Period, tx: Db): Promise<DistinctValues[]> {
    return this.database.rows<DistinctValues>(`${DISTINCT_OF_HOURS} ORDER BY h.hour`, [projectId, from, to], tx);
  }

  /**
   * Events of a period that show what findings are about, for each the newest first.
   * @param asked an event type, the id of an Event Source or neither for the whole project, and whether only errors show it
   */
  async samples(
    projectId: ProjectId,
    { from, to }: Period,
    asked: readonly { readonly event: string | null; readonly source: string | null; readonly errors: boolean }[],
    limit: number,
    tx: Db,
  ): Promise<string[][]> {
    const newest = `AND e."timestamp" >= $2 AND e."timestamp" < $3 AND (NOT a.errors OR e.log_status >= 500)
      ORDER BY e."timestamp" DESC, e.id DESC LIMIT $7`;
    const rows = await this.database.rows<{ place: number; id: string }>(
      `WITH asked AS MATERIALIZED (
         SELECT * FROM unnest($4::text[], $5::uuid[], $6::boolean[]) WITH ORDINALITY AS a (event, source, errors, place))
       SELECT a.place::int AS place, found.id, found."timestamp" AS at FROM asked a CROSS JOIN LATERAL (
         SELECT e.id, e."timestamp" FROM events e WHERE e.project_id = $1 AND e.event = a.event ${newest}) found WHERE a.event IS NOT NULL
       UNION ALL
       SELECT a.place::int, found.id, found."timestamp" FROM asked a CROSS JOIN LATERAL (
         SELECT e.id, e."timestamp" FROM events e WHERE e.project_id = $1 AND e.source_id = a.source ${newest}) found WHERE a.source IS NOT NULL
       UNION ALL
       SELECT a.place::int, found.id, found."timestamp" FROM asked a CROSS JOIN LATERAL (
         SELECT e.id, e."timestamp" FROM events e WHERE e.project_id = $1 ${newest}) found WHERE a.event IS NULL AND a.source IS NULL
       ORDER BY place, at DESC, id DESC`,
      [
        projectId,
        from,
        to,
        asked.map(({ event }) => event),
        asked.map(({ source }) => source),
        asked.map(({ errors }) => errors),
        limit,
      ],
      tx,
    );
    return asked.map((_, index) => rows.filter(({ place }) => place === index + 1).map(({ id }) => id));
  }
}
