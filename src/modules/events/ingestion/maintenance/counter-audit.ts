import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../../../platform/database/database.js';
import { Upkeep } from '../../../../platform/upkeep/upkeep.js';

const ORGANIZATIONS_A_ROUND = 500;
const HOURS_A_ROUND = 50;
/** Rows counted in one round; an hour with more is left out. */
const EVENTS_A_ROUND = 200_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const START = { project_id: FIRST_ID, hour: '-infinity' };

interface Month {
  readonly organization_id: string;
  readonly events: number;
  readonly events_metered: number;
  readonly requests: number;
  readonly requests_metered: number;
}

interface Hour {
  readonly project_id: string;
  readonly hour: string;
  readonly events: number;
}

interface ComparedHour extends Hour {
  readonly rows: number;
  readonly facets: number;
  /** Of the day of this hour, by both tables. */
  readonly facets_of_day: number;
  readonly facets_by_day: number;
  readonly latencies: number;
  readonly rows_with_latency: number;
}

/**
 * Compares counters with what they count, some of them each round and all of them in time, and says so when they differ.
 * They change in the transaction of the events, so they never should: a difference is a fault to look for, and mending it
 * silently would hide it. Each comparison is one statement and so sees one moment.
 */
@Injectable()
export class CounterAudit extends Upkeep {
  private organization = FIRST_ID;
  private place: Pick<Hour, 'project_id' | 'hour'> = START;
  private readonly logger = new Logger('counters');

  constructor(private readonly database: Database) {
    super();
  }

  /** @returns how many counters differ */
  async upkeep(): Promise<number> {
    const differences = [...(await this.months()), ...(await this.hours())];
    for (const difference of differences) this.logger.warn(`counters differ: ${JSON.stringify(difference)}`);
    return differences.length;
  }

  /** This month of some organizations against the days of their projects. */
  private async months(): Promise<Month[]> {
    const rows = await this.database.rows<Month>(
      `WITH page AS (
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
      [this.organization, ORGANIZATIONS_A_ROUND],
    );
    this.organization = rows.length < ORGANIZATIONS_A_ROUND ? FIRST_ID : (rows.at(-1)?.organization_id ?? FIRST_ID);
    return rows.filter((row) => row.events !== row.events_metered || row.requests !== row.requests_metered);
  }

  /** Some hours of projects against their events. */
  private async hours(): Promise<ComparedHour[]> {
    const page = await this.database.rows<Hour>(
      `SELECT h.project_id, h.hour::text AS hour, h.events::float8 AS events FROM event_hours h
       JOIN projects p ON p.id = h.project_id AND p.deleted_at IS NULL
       WHERE (h.project_id, h.hour) > ($1, $2::timestamptz) AND h.events <= $4
       ORDER BY h.project_id, h.hour LIMIT $3`,
      [this.place.project_id, this.place.hour, HOURS_A_ROUND, EVENTS_A_ROUND],
    );
    let events = 0;
    const some = page.filter((hour) => (events += hour.events) <= EVENTS_A_ROUND);
    const isEnd = page.length < HOURS_A_ROUND && some.length === page.length;
    this.place = isEnd ? START : (some.at(-1) ?? START);
    const compared = await this.database.rows<ComparedHour>(
      `SELECT h.project_id, h.hour::text AS hour, h.events::float8 AS events, e.rows::float8 AS rows,
              e.rows_with_latency::float8 AS rows_with_latency, f.events::float8 AS facets, y.events::float8 AS facets_of_day,
              d.events::float8 AS facets_by_day, t.events::float8 AS latencies
       FROM unnest($1::uuid[], $2::timestamptz[]) AS w (project_id, hour)
       JOIN event_hours h USING (project_id, hour)
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
      [some.map((hour) => hour.project_id), some.map((hour) => hour.hour)],
    );
    return compared.filter(
      (hour) =>
        hour.events !== hour.rows ||
        hour.facets !== hour.rows ||
        hour.facets_by_day !== hour.facets_of_day ||
        hour.latencies !== hour.rows_with_latency,
    );
  }
}
