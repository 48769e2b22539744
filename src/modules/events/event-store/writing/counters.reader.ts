import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { LivingProjectsReader } from '../../../tenancy/projects/index.js';
import { Database } from '../../../../platform/database/database.js';

/** A position in the order of projects and time. It need not have a counter. */
export interface CounterCursor {
  readonly project_id: string;
  /** In the text format of PostgreSQL. */
  readonly hour: string;
}

export interface CounterHour extends CounterCursor {
  readonly project_id: ProjectId;
  readonly events: number;
}

/** The counters of an hour, and the numbers of its events that they must equal. */
export interface ComparedHour extends CounterHour {
  readonly rows: number;
  readonly facets: number;
  /** The counts for the UTC day of this hour in both tables. */
  readonly facets_of_day: number;
  readonly facets_by_day: number;
  readonly latencies: number;
  readonly rows_with_latency: number;
}

/** Compares the counters of all tenants with the events. Each comparison is one statement and sees one snapshot. */
@Injectable()
export class CountersReader {
  constructor(
    private readonly database: Database,
    private readonly living: LivingProjectsReader,
  ) {}

  /**
   * Returns the hours after a cursor in the order of projects and time, at most `limit`. Leaves out hours with more
   * than `mostEvents` events, hours of deleted projects, and hours whose events PostgreSQL no longer has.
   */
  async hours(after: CounterCursor, limit: number, mostEvents: number): Promise<CounterHour[]> {
    const read = (besides: readonly ProjectId[]): Promise<CounterHour[]> =>
      this.database.rows<CounterHour>(
        `SELECT /* every tenant: each in its turn */ h.project_id, h.hour::text AS hour, h.events::float8 AS events
       FROM event_hours h
       WHERE (h.project_id, h.hour) > ($1, $2::timestamptz) AND h.project_id <> ALL ($5::uuid[]) AND h.events <= $4 AND h.hour >= (SELECT events_hot_from())
       ORDER BY h.project_id, h.hour LIMIT $3`,
        [after.project_id, after.hour, limit, mostEvents, besides],
      );
    return this.living.rows(read, ({ project_id: id }) => id);
  }

  compare(hours: readonly CounterHour[]): Promise<ComparedHour[]> {
    return this.database.rows<ComparedHour>(
      `SELECT h.project_id, h.hour::text AS hour, h.events::float8 AS events, e.rows::float8 AS rows,
              e.rows_with_latency::float8 AS rows_with_latency, f.events::float8 AS facets, y.events::float8 AS facets_of_day,
              d.events::float8 AS facets_by_day, t.events::float8 AS latencies
       FROM unnest($1::uuid[], $2::timestamptz[]) AS w (project_id, hour)
       JOIN event_hours h USING (project_id, hour) /* tenant: the project of each hour */
       CROSS JOIN LATERAL (
         SELECT count(*) AS rows, count(*) FILTER (WHERE v.log_has_latency) AS rows_with_latency FROM events v
         WHERE v.project_id = w.project_id AND v."timestamp" >= w.hour AND v."timestamp" < w.hour + interval '1 hour') e
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(c.events), 0) AS events FROM event_facet_hours c
         WHERE c.project_id = w.project_id AND c.hour = w.hour) f
       CROSS JOIN LATERAL (SELECT date_trunc('day', w.hour, 'UTC') AS day) u
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(c.events), 0) AS events FROM event_facet_hours c
         WHERE c.project_id = w.project_id AND c.hour >= u.day AND c.hour < u.day + interval '1 day') y
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(c.events), 0) AS events FROM event_facet_days c
         WHERE c.project_id = w.project_id AND c.day = u.day) d
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(c.events), 0) AS events FROM latency_hours c
         WHERE c.project_id = w.project_id AND c.hour = w.hour) t`,
      [hours.map((hour) => hour.project_id), hours.map((hour) => hour.hour)],
    );
  }
}
