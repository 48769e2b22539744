import { Injectable } from '@nestjs/common';
import { PLAN_NAMES, type PlanName } from '../../../config/index.js';
import { Database } from '../../../platform/database/database.js';
import { monthlyEventLimit } from '../../entitlement/quotas/index.js';

export interface OrganizationCount {
  readonly plan: PlanName;
  readonly billing_status: string;
  readonly organizations: number;
  /** The number of these organizations that have used up their events of the month. */
  readonly at_limit: number;
}

@Injectable()
export class OrganizationCountsRepository {
  constructor(private readonly database: Database) {}

  /** Counts all organizations by plan and billing status. */
  count(): Promise<OrganizationCount[]> {
    return this.database.apart(() =>
      this.database.rows<OrganizationCount>(
        `SELECT o.plan, o.billing_status, count(*)::int AS organizations,
                count(*) FILTER (WHERE m.events >= coalesce(o.events_per_month_limit, p.events))::int AS at_limit
         FROM organizations o /* every tenant: numbers for operators */
         JOIN unnest($1::text[], $2::bigint[]) AS p (plan, events) ON p.plan = o.plan
         LEFT JOIN organization_months m
           ON m.organization_id = o.id AND m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
         GROUP BY 1, 2`,
        [PLAN_NAMES, PLAN_NAMES.map((plan) => monthlyEventLimit(plan, null))],
      ),
    );
  }
}
