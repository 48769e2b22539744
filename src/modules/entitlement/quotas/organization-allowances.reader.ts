import { Injectable } from '@nestjs/common';
import { OrganizationNotFound, type OrganizationScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { Plan } from '../../tenancy/organizations/index.js';
import { type IngestionAllowances, monthlyEventLimit } from './ingestion-decision.js';
import { RequestLimitsService } from './request-limits.service.js';

interface Row {
  readonly plan: Plan;
  readonly billing_status: string;
  readonly own_limit: number | null;
  readonly events: number;
  readonly requests: number;
}

/**
 * Reads what an organization has used in its current UTC month, and its limits. A query reads one row, never a sum over
 * days.
 */
@Injectable()
export class OrganizationAllowancesReader {
  constructor(
    private readonly database: Database,
    private readonly requestLimits: RequestLimitsService,
  ) {}

  async of(scope: Pick<OrganizationScope, 'organizationId'>, db?: Db): Promise<IngestionAllowances & { plan: Plan }> {
    const [row] = await this.database.rows<Row>(
      `SELECT o.plan, o.billing_status, o.events_per_month_limit::float8 AS own_limit,
              coalesce(m.events, 0)::float8 AS events, coalesce(m.requests, 0)::float8 AS requests
       FROM organizations o
       LEFT JOIN organization_months m
         ON m.organization_id = o.id AND m.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
       WHERE o.id = $1`,
      [scope.organizationId],
      db,
    );
    if (row === undefined) throw new OrganizationNotFound();
    return {
      plan: row.plan,
      billingStatus: row.billing_status,
      events: { used: row.events, limit: monthlyEventLimit(row.plan, row.own_limit) },
      requests: { used: row.requests, limit: this.requestLimits.byPlan[row.plan] },
    };
  }
}
