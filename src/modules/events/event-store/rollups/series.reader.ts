import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { TimeWindow } from '../totals/coverage.js';
import { SERIES_SQL } from './request-stats.repository.js';
import { MOST_SERIES } from './hour-rollups.writer.js';
import { integerList } from './integer-list.js';

/** The length of a bucket. Windows begin and end at the edge of a bucket. */
export const SERIES_BUCKET_MS = 300_000;
const HOUR_MS = 3_600_000;
const SLOTS = HOUR_MS / SERIES_BUCKET_MS;
/** The maximum window of 31 days. */
const MOST_BUCKETS = 31 * 24 * SLOTS;

/** One series, with a value for each bucket of the window in the order of time. */
export interface SeriesPoints {
  readonly events: Int32Array;
  /** Events whose derived status is 500 or more. */
  readonly errors: Int32Array;
  /** Events that carry a latency. */
  readonly measured: Int32Array;
  /**
   * The exact 95th percentile of the latencies in whole milliseconds, by nearest rank. -1 when no latency was measured.
   */
  readonly p95: Int32Array;
}

export interface ProjectSeries {
  /** The start of the first bucket. Each bucket lasts {@link SERIES_BUCKET_MS}. */
  readonly from: Date;
  readonly buckets: number;
  readonly project: SeriesPoints;
  /**
   * By event type, and by id of the Event Source. Each requested series is present, with zeroes when it has no events.
   */
  readonly events: ReadonlyMap<string, SeriesPoints>;
  readonly sources: ReadonlyMap<string, SeriesPoints>;
}

/** The series that are read in addition to the whole project. */
export interface WantedSeries {
  readonly events?: readonly string[];
  readonly sources?: readonly string[];
}

interface SeriesRow {
  readonly hour: Date;
  readonly kind: 'project' | 'event' | 'source';
  readonly value: string;
  readonly slots: string;
  readonly events: string;
  readonly errors: string;
  readonly measured: string;
  readonly p95: string;
}

type Scope = Pick<ProjectScope, 'projectId'>;
type Mutable = { readonly [Name in keyof SeriesPoints]: Int32Array };

/** Counts the events of a project in UTC buckets of five minutes, by their timestamps. */
@Injectable()
export class SeriesReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns exact counts from one snapshot. Hours with a complete rollup are read from the rollup, other hours from the
   * rows.
   * @param window at most 31 days, beginning and ending at the edge of a bucket
   */
  async read(scope: Scope, window: TimeWindow, wanted: WantedSeries = {}, db?: Db): Promise<ProjectSeries> {
    const buckets = (window.to.getTime() - window.from.getTime()) / SERIES_BUCKET_MS;
    if (
      !Number.isInteger(buckets) ||
      window.from.getTime() % SERIES_BUCKET_MS !== 0 ||
      buckets < 0 ||
      buckets > MOST_BUCKETS
    ) {
      throw new RangeError('a window of series begins and ends with a bucket and has 31 days at most');
    }
    const { events = [], sources = [] } = wanted;
    const series: ProjectSeries & Record<'project', Mutable> = {
      from: window.from,
      buckets,
      project: emptyPoints(buckets),
      events: new Map(events.map((event) => [event, emptyPoints(buckets)])),
      sources: new Map(sources.map((source) => [source.toLowerCase(), emptyPoints(buckets)])),
    };
    if (buckets === 0) return series;
    for (const row of await this.rows(scope, window, [...series.events.keys()], [...series.sources.keys()], db)) {
      const points = row.kind === 'project' ? series.project : series[`${row.kind}s`].get(row.value);
      if (points !== undefined) fill(points, row, (row.hour.getTime() - window.from.getTime()) / SERIES_BUCKET_MS);
    }
    return series;
  }

  /** Reads complete hourly rollups, and the rows of other hours and of series that an hour did not keep. */
  private rows(
    { projectId }: Scope,
    { from, to }: TimeWindow,
    events: readonly string[],
    sources: readonly string[],
    db?: Db,
  ): Promise<SeriesRow[]> {
    const columns = 'slots::text, events::text, errors::text, measured::text, p95::text';
    return this.database.rows<SeriesRow>(
      `WITH hours AS MATERIALIZED (
         SELECT h.hour, greatest(h.hour, $2) AS "from", least(h.hour + interval '1 hour', $3) AS "to",
                coalesce(r.counted = h.events, false) AS made,
                r.event_types > ${MOST_SERIES} AS more_events, r.sources > ${MOST_SERIES} AS more_sources
         FROM event_hours h LEFT JOIN hour_rollups r ON r.project_id = h.project_id AND r.hour = h.hour
         WHERE h.project_id = $1 AND h.hour > $2::timestamptz - interval '1 hour' AND h.hour < $3),
       rolled AS MATERIALIZED (
         SELECT s.* FROM hours JOIN event_series_hours s ON s.project_id = $1 AND s.hour = hours.hour
         WHERE hours.made AND (s.kind = 'project' OR s.kind = 'event' AND s.value = ANY ($4::text[])
                               OR s.kind = 'source' AND s.value = ANY ($5::text[]))),
       raw_requests AS MATERIALIZED (
         SELECT o.hour AS part, found.* FROM hours o
         CROSS JOIN LATERAL (
           SELECT "timestamp" AS at, CASE WHEN event = ANY ($4::text[]) THEN event END AS event,
                  CASE WHEN source_id = ANY ($5::uuid[]) THEN source_id::text END AS source, log_status AS status,
                  CASE WHEN log_has_latency THEN log_latency_ms END AS latency
           FROM events WHERE project_id = $1 AND "timestamp" >= o."from" AND "timestamp" < o."to"
           OFFSET 0) found
         WHERE NOT o.made
         UNION ALL
         SELECT o.hour, e."timestamp", e.event, NULL, e.log_status, CASE WHEN e.log_has_latency THEN e.log_latency_ms END
         FROM hours o CROSS JOIN unnest($4::text[]) AS w (event)
         JOIN events e ON e.project_id = $1 AND e.event = w.event AND e."timestamp" >= o."from" AND e."timestamp" < o."to"
         WHERE o.made AND o.more_events
           AND NOT EXISTS (SELECT FROM rolled r WHERE r.hour = o.hour AND r.kind = 'event' AND r.value = w.event)
         UNION ALL
         SELECT o.hour, e."timestamp", NULL, e.source_id::text, e.log_status, CASE WHEN e.log_has_latency THEN e.log_latency_ms END
         FROM hours o CROSS JOIN unnest($5::uuid[]) AS w (source_id)
         JOIN events e ON e.project_id = $1 AND e.source_id = w.source_id AND e."timestamp" >= o."from" AND e."timestamp" < o."to"
         WHERE o.made AND o.more_sources
           AND NOT EXISTS (SELECT FROM rolled r WHERE r.hour = o.hour AND r.kind = 'source' AND r.value = w.source_id::text)),
       ${SERIES_SQL}
       SELECT hour, kind, value, ${columns} FROM rolled
       UNION ALL
       SELECT part, kind, value, ${columns} FROM series s
       WHERE kind <> 'project' OR EXISTS (SELECT FROM hours o WHERE o.hour = s.part AND NOT o.made)`,
      [projectId, from, to, events, sources],
      db,
    );
  }
}

function emptyPoints(buckets: number): Mutable {
  const list = (): Int32Array => new Int32Array(buckets);
  return { events: list(), errors: list(), measured: list(), p95: list().fill(-1) };
}

/** @param first the bucket at which the row's hour begins; it may be before the window */
function fill(points: Mutable, row: SeriesRow, first: number): void {
  const slots = integerList(row.slots);
  for (const name of ['events', 'errors', 'measured', 'p95'] as const) {
    const values = integerList(row[name]);
    for (const [index, slot] of slots.entries()) {
      const bucket = first + slot;
      if (bucket >= 0 && bucket < points.events.length) points[name][bucket] = values[index] ?? 0;
    }
  }
}
