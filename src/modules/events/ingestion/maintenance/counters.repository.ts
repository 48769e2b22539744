import { Injectable } from '@nestjs/common';
import type { OrganizationId, ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** A month of an organization as its counter has it, and as the days of its projects add up to. */
export interface MeteredMonth {
  readonly organization_id: OrganizationId;
  readonly events: number;
  readonly events_metered: number;
  readonly requests: number;
  readonly requests_metered: number;
}

/** A place in the order of projects and time, whether something is there or not. */
export interface HourPlace {
  readonly project_id: string;
  /** As PostgreSQL writes a timestamp. */
  readonly hour: string;
}

export interface CountedHour extends HourPlace {
  readonly project_id: ProjectId;
  readonly events: number;
}

/** What the counters of an hour say of its events, and what the events say. */
export interface ComparedHour extends CountedHour {
  readonly rows: number;
  readonly facets: number;
  /** Of the day of this hour, by both tables. */
  readonly facets_of_day: number;
  readonly facets_by_day: number;
  readonly latencies: number;
  readonly rows_with_latency: number;
}

/** The counters of all tenants beside what they count. Each comparison is one statement and so sees one moment. */
@Injectable()
export class CountersRepository {
  constructor(private readonly database: Database) {}

  /** This month of the organizations whose ids come after one, in the order of them, `limit` at most. */
  months(after: string, limit: number): Promise<MeteredMonth[]> {
    return this.database.rows<MeteredMonth>(
      `WITH /* every tenant: each in its turn */ page AS (
         SELECT m.organization_id, m.month, m.events, m.requests FROM organization_months m
         WHERE m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date AND m.organization_id > $1
         ORDER BY m.organization_id LIMIT $2)
       SELECT page.organization_id, page.events::float8 AS events, page.requests::float8 AS requests,
              coalesce(sum(u.events_ingested), 0)::float8 AS events_metered,
              coalesce(sum(u.requests), 0)::float8 AS requests_metered
       FROM page
       LEFT JOIN projects p ON p.organization_id = page.organization_id
       LEFT JOIN usage_daily u ON u.project_id = p.id AND u.day >= page.month
       GROUP BY page.organization_id, page.events, page.requests ORDER BY page.organization_id`,
      [after, limit],
    );
  }

  /**
   * The hours after a place, in the order of projects and time, `limit` at most; those with more than `mostEvents` are left out, and
   * those whose events PostgreSQL does not have any more.
   */
  hours(after: HourPlace, limit: number, mostEvents: number): Promise<CountedHour[]> {
    return this.database.rows<CountedHour>(
      `SELECT /* every tenant: each in its turn */ h.project_id, h.hour::text AS hour, h.events::float8 AS events
       FROM event_hours h JOIN projects p ON p.id = h.project_id AND p.deleted_at IS NULL
       WHERE (h.project_id, h.hour) > ($1, $2::timestamptz) AND h.events <= $4 AND h.hour >= (SELECT events_hot_from())
       ORDER BY h.project_id, h.hour LIMIT $3`,
      [after.project_id, after.hour, limit, mostEvents],
    );
  }

  compare(hours: readonly CountedHour[]): Promise<ComparedHour[]> {
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
