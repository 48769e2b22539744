import { Injectable } from '@nestjs/common';
import type { PlanStorageLimits } from '../../../../config/index.js';
import type { OrganizationId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { PAYING } from '../accounting/storage-allowance.reader.js';

const GB = 1024 ** 3;
/** Older usage is not reported, because the provider refuses such reports. */
const OLDEST_DAYS = 34;

export const METERS = {
  storage: 'object_storage_gb_days',
  bandwidth: 'object_bandwidth_gb',
} as const;
export type MeterKind = keyof typeof METERS;

/** Usage beyond a quota on a past day that is not reported yet. */
export interface DueReport {
  readonly organizationId: OrganizationId;
  /** YYYY-MM-DD, UTC. */
  readonly day: string;
  readonly kind: MeterKind;
  /**
   * Whole GB to report for this day: the rounded-up sum of the month up to this day, less that of the days before. So
   * the GB of a day may be 0.
   */
  readonly gigabytes: number;
  readonly customerId: string | null;
}

/**
 * Stores by UTC day what organizations have stored and sent beyond their quotas: the highest excess of storage during
 * the day, and the excess of the month's bandwidth at the end of the day.
 */
@Injectable()
export class OveragesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Records the excess of all organizations that pay for it. On the first day of a month, also records the final
   * bandwidth excess of the last day of the month before.
   */
  async observe(limits: Readonly<Record<string, PlanStorageLimits>>): Promise<void> {
    const plans = Object.entries(limits);
    await this.database.execute(
      `INSERT INTO /* every tenant: what is billed */ storage_overage_days AS d
         (organization_id, day, storage_bytes, bandwidth_bytes)
       SELECT o.id, at.day, CASE WHEN at.is_today THEN greatest(coalesce(t.stored - l.storage, 0), 0) ELSE 0 END,
              greatest(coalesce(m.sent - l.bandwidth, 0), 0)
       FROM (SELECT (now() AT TIME ZONE 'UTC')::date AS today) clock
       CROSS JOIN LATERAL (
         SELECT clock.today AS day, true AS is_today
         UNION ALL SELECT clock.today - 1, false WHERE extract(day FROM clock.today) = 1) at
       CROSS JOIN organizations o
       JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS l(plan, storage, bandwidth) ON l.plan = o.plan
       LEFT JOIN storage_totals t ON t.organization_id = o.id
       LEFT JOIN storage_months m ON m.organization_id = o.id AND m.month = date_trunc('month', at.day::timestamp)::date
       WHERE o.payment_subscription_status = ANY($4)
         AND ((at.is_today AND t.stored > l.storage) OR m.sent > l.bandwidth)
       ON CONFLICT (organization_id, day) DO UPDATE SET
         storage_bytes = greatest(d.storage_bytes, excluded.storage_bytes),
         bandwidth_bytes = greatest(d.bandwidth_bytes, excluded.bandwidth_bytes)`,
      [
        plans.map(([plan]) => plan),
        plans.map(([, { storageBytes }]) => storageBytes),
        plans.map(([, { bandwidthBytes }]) => bandwidthBytes),
        PAYING,
      ],
    );
  }

  /** Returns the reports that are due, oldest first. */
  due(limit: number): Promise<DueReport[]> {
    return this.database.rows<DueReport>(
      `WITH /* every tenant: what is billed */ days AS (
         SELECT d.organization_id, d.day, d.storage_reported_at, d.bandwidth_reported_at,
                ceil(sum(d.storage_bytes) OVER upto / ${GB}.0) AS storage,
                ceil(sum(d.storage_bytes) OVER before / ${GB}.0) AS storage_before,
                ceil(max(d.bandwidth_bytes) OVER upto / ${GB}.0) AS bandwidth,
                ceil(max(d.bandwidth_bytes) OVER before / ${GB}.0) AS bandwidth_before
         FROM storage_overage_days d
         WHERE d.day >= date_trunc('month', (now() AT TIME ZONE 'UTC') - interval '${OLDEST_DAYS} days')::date
         WINDOW upto AS (PARTITION BY d.organization_id, date_trunc('month', d.day::timestamp) ORDER BY d.day),
                before AS (PARTITION BY d.organization_id, date_trunc('month', d.day::timestamp) ORDER BY d.day
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING))
       SELECT days.organization_id AS "organizationId", days.day::text, meter.kind, meter.gigabytes::float8,
              o.payment_customer_id AS "customerId"
       FROM days JOIN organizations o ON o.id = days.organization_id
       CROSS JOIN LATERAL (VALUES
         ('storage', days.storage - coalesce(days.storage_before, 0), days.storage_reported_at),
         ('bandwidth', days.bandwidth - coalesce(days.bandwidth_before, 0), days.bandwidth_reported_at)
       ) AS meter(kind, gigabytes, reported_at)
       WHERE meter.reported_at IS NULL AND days.day < (now() AT TIME ZONE 'UTC')::date
         AND days.day >= (now() AT TIME ZONE 'UTC')::date - ${OLDEST_DAYS}
       ORDER BY days.day, days.organization_id, meter.kind LIMIT $1`,
      [limit],
    );
  }

  async markReported({ organizationId, day, kind }: DueReport): Promise<void> {
    await this.database.execute(
      `UPDATE storage_overage_days SET
         storage_reported_at = CASE WHEN $3 = 'storage' THEN now() ELSE storage_reported_at END,
         bandwidth_reported_at = CASE WHEN $3 = 'bandwidth' THEN now() ELSE bandwidth_reported_at END
       WHERE organization_id = $1 AND day = $2::date`,
      [organizationId, day, kind],
    );
  }
}
