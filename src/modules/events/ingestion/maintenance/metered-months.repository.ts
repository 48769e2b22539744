import { Injectable } from '@nestjs/common';
import type { OrganizationId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** A month of an organization: its counters, and the sums over the days of its projects (`*_metered`). */
export interface MeteredMonth {
  readonly organization_id: OrganizationId;
  readonly events: number;
  readonly events_metered: number;
  readonly requests: number;
  readonly requests_metered: number;
}

/** Reads the monthly counters of organizations together with the daily sums of their projects, from one snapshot. */
@Injectable()
export class MeteredMonthsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns this month of up to `limit` organizations whose ids are greater than `after`, in the order of their ids.
   */
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
}
