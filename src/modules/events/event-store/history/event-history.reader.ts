import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** A project's event types with the most events are watched, up to this number. */
const MOST_TYPES = 200;
const MOST_SOURCES = 200;
const FACETS_READ_A_DAY = 100_000;
const FACETS_COUNTED_A_DAY = 5_000;
/**
 * The rollup of an hour keeps this many series. The events of other series are estimated as a tenth of all events of
 * the hour.
 */
const KEPT_SERIES = 200;
const SHARE_OF_OTHERS = 10;
/** Distinct values of an hour are counted in this many of its newest rows. */
const DISTINCT_ROWS = 100_000;
/** New event types are searched in this many rows of a period. */
const NEW_TYPE_ROWS = 20_000;
/** Excludes the endpoints that were generated for events without an endpoint. */
const CARRIED = `log_endpoint NOT LIKE '/events/%'`;

/**
 * Values are compared by a 64-bit hash. Comparing long texts by the collation of a language takes ten times as long.
 */
const distinctSql = (value: 'event' | 'endpoint'): string => `count(DISTINCT hashtextextended(${value}, 0))::int`;

/**
 * Selects the numbers of distinct values in each hour from $2 to $3 of the project $1. They come from complete rollups,
 * and for other hours from the rows.
 */
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

/** The number of distinct values of an hour. */
interface DistinctValues {
  readonly hour: Date;
  readonly eventTypes: number;
  readonly endpoints: number;
}

/** An hour with events, and the number of its rows that have to be read because no rollup has counted them. */
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

/**
 * Reads the history that Sentinel learns from: counts, event types and samples of a project. `SeriesReader` reads the
 * series. Times are the timestamps of the events.
 */
@Injectable()
export class EventHistoryReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns the number of events of a period, and the time of its first event. A few old events do not count as a
   * beginning: when there are events on fewer than three days, and not on every day since the first event, `oldest` is
   * the end of the period. Days are counted back from the end of the period.
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

  /** Returns the hours of a period with events, newest first, each with the number of rows that have to be read. */
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

  /**
   * Returns the series that are watched in addition to the project as a whole: the event types and Event Sources with
   * the most events. The period consists of whole days.
   */
  async series(projectId: ProjectId, { from, to }: Period, tx: Db): Promise<{ events: string[]; sources: string[] }> {
    const rows = await this.database.rows<{ type: 'event' | 'source'; value: string }>(
      // For each day, only the combinations with the most events among a limited number of rows are counted. Ids in
      // event types can make hundreds of thousands of combinations. Equal counts are ordered by name, so that the
      // result is stable.
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

  /** Returns the time of the newest event of each series before a time. Series without an event are left out. */
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
   * Returns the event types whose first event ever lies in a period, oldest first.
   * @param known types that are not new. Among the events of other types, only the first of the period are searched
   */
  newTypes(
    projectId: ProjectId,
    { from, to }: Period,
    known: readonly string[],
    limit: number,
    tx: Db,
  ): Promise<NewEventType[]> {
    return this.database.rows<NewEventType>(
      // The index is read once for each type until enough are found. A join would compare ten thousand types with all
      // events of the project, because the planner has no statistics of them yet.
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

  /** Counts the distinct values of a period, among a limited number of its newest rows. */
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

  /** Returns the highest {@link distinct} counts of any hour of a period. Null when there is no event. */
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

  /** Returns the {@link distinct} counts of each hour of a period that has events, oldest first. */
  distinctOfHours(projectId: ProjectId, { from, to }: Period, tx: Db): Promise<DistinctValues[]> {
    return this.database.rows<DistinctValues>(`${DISTINCT_OF_HOURS} ORDER BY h.hour`, [projectId, from, to], tx);
  }

  /**
   * Returns ids of events of a period as samples for findings, newest first.
   * @param wanted for each finding: an event type, the id of an Event Source or neither for the whole project; and
   * whether only errors are samples
   */
  async samples(
    projectId: ProjectId,
    { from, to }: Period,
    wanted: readonly { readonly event: string | null; readonly source: string | null; readonly errors: boolean }[],
    limit: number,
    tx: Db,
  ): Promise<string[][]> {
    const newest = `AND e."timestamp" >= $2 AND e."timestamp" < $3 AND (NOT a.errors OR e.log_status >= 500)
      ORDER BY e."timestamp" DESC, e.id DESC LIMIT $7`;
    const rows = await this.database.rows<{ place: number; id: string }>(
      `WITH wanted AS MATERIALIZED (
         SELECT * FROM unnest($4::text[], $5::uuid[], $6::boolean[]) WITH ORDINALITY AS a (event, source, errors, place))
       SELECT a.place::int AS place, found.id, found."timestamp" AS at FROM wanted a CROSS JOIN LATERAL (
         SELECT e.id, e."timestamp" FROM events e WHERE e.project_id = $1 AND e.event = a.event ${newest}) found WHERE a.event IS NOT NULL
       UNION ALL
       SELECT a.place::int, found.id, found."timestamp" FROM wanted a CROSS JOIN LATERAL (
         SELECT e.id, e."timestamp" FROM events e WHERE e.project_id = $1 AND e.source_id = a.source ${newest}) found WHERE a.source IS NOT NULL
       UNION ALL
       SELECT a.place::int, found.id, found."timestamp" FROM wanted a CROSS JOIN LATERAL (
         SELECT e.id, e."timestamp" FROM events e WHERE e.project_id = $1 ${newest}) found WHERE a.event IS NULL AND a.source IS NULL
       ORDER BY place, at DESC, id DESC`,
      [
        projectId,
        from,
        to,
        wanted.map(({ event }) => event),
        wanted.map(({ source }) => source),
        wanted.map(({ errors }) => errors),
        limit,
      ],
      tx,
    );
    return wanted.map((_, index) => rows.filter(({ place }) => place === index + 1).map(({ id }) => id));
  }
}
