import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { STATUS_NOW } from '../events/alert-event-columns.js';
import type { AlertSeverity } from '../events/alert-event.entity.js';
import type { AlertStatus } from '../machine/alert-machine.js';

type Tenant = Pick<ProjectScope, 'projectId'>;

interface Window {
  readonly from: Date;
  readonly to: Date;
}

interface AlertCount {
  readonly status: AlertStatus;
  readonly severity: AlertSeverity;
  readonly total: number;
}

interface AlertTimes {
  readonly total: number;
  readonly acknowledged: number;
  readonly resolved: number;
  /** p50 and p95 in seconds; null when no alert event was acknowledged. `toResolve` is the same for resolutions. */
  readonly toAcknowledge: readonly [number, number] | null;
  readonly toResolve: readonly [number, number] | null;
}

const RAISED_IN = 'a.project_id = $1 AND a.created_at >= $2 AND a.created_at < $3';
const percentiles = (end: string): string =>
  `percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY extract(epoch FROM ${end} - a.created_at)::float8)`;

@Injectable()
export class AlertSummaryRepository {
  constructor(private readonly database: Database) {}

  counts({ projectId }: Tenant, { from, to }: Window): Promise<AlertCount[]> {
    return this.database.rows<AlertCount>(
      `SELECT ${STATUS_NOW} AS status, a.severity, count(*)::int AS total FROM alert_events a
       WHERE ${RAISED_IN} GROUP BY 1, 2`,
      [projectId, from, to],
    );
  }

  async times({ projectId }: Tenant, { from, to }: Window): Promise<AlertTimes> {
    const [row] = await this.database.rows<AlertTimes>(
      `SELECT count(*)::int AS total, count(a.first_acknowledged_at)::int AS acknowledged,
              count(a.resolved_at)::int AS resolved,
              ${percentiles('a.first_acknowledged_at')} AS "toAcknowledge", ${percentiles('a.resolved_at')} AS "toResolve"
       FROM alert_events a WHERE ${RAISED_IN}`,
      [projectId, from, to],
    );
    if (row === undefined) throw new Error('An aggregate gives a row');
    return row;
  }
}
