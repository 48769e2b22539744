import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../platform/access/index.js';
import { Database } from '../../platform/database/database.js';

/** Requests of one key on one UTC day. */
export interface RequestCount {
  readonly day: string;
  readonly projectId: string;
  readonly apiKeyId: string | null;
  readonly requests: number;
}

@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /** Metered events of all projects of the organization, those deleted this month included; days as YYYY-MM-DD, `toDay` exclusive. */
  async eventsOf(scope: Pick<ProjectScope, 'organizationId'>, fromDay: string, toDay: string): Promise<number> {
    const rows = await this.database.rows<{ total: number }>(
      `SELECT coalesce(sum(u.events_ingested), 0)::float8 AS total FROM usage_daily u
       JOIN projects p ON p.id = u.project_id
       WHERE p.organization_id = $1 AND u.day >= $2 AND u.day < $3`,
      [scope.organizationId, fromDay, toDay],
    );
    return rows[0]?.total ?? 0;
  }

  /** Of one project, days before `day` (YYYY-MM-DD). @returns how many rows were removed and how many stay */
  async removeBefore(projectId: string, day: string): Promise<{ removed: number; left: number }> {
    const removed = await this.database.execute('DELETE FROM usage_daily WHERE project_id = $1 AND day < $2', [
      projectId,
      day,
    ]);
    const [row] = await this.database.rows<{ left: number }>(
      'SELECT count(*)::int AS left FROM usage_daily WHERE project_id = $1',
      [projectId],
    );
    return { removed, left: row?.left ?? 0 };
  }

  /** Adds requests; rows are locked in one order everywhere so that flushes never deadlock. */
  async addRequests(counts: readonly RequestCount[]): Promise<void> {
    const ordered = [...counts].sort((a, b) => rowOrder(a).localeCompare(rowOrder(b)));
    await this.database.execute(
      `INSERT INTO usage_daily (day, project_id, api_key_id, requests)
       SELECT c.day, c.project_id, c.api_key_id, c.requests
       FROM unnest($1::date[], $2::uuid[], $3::uuid[], $4::bigint[]) AS c (day, project_id, api_key_id, requests)
       JOIN projects p ON p.id = c.project_id
       ON CONFLICT ON CONSTRAINT uq_usage_daily_identity
       DO UPDATE SET requests = usage_daily.requests + excluded.requests, updated_at = now()`,
      [
        ordered.map((count) => count.day),
        ordered.map((count) => count.projectId),
        ordered.map((count) => count.apiKeyId),
        ordered.map((count) => count.requests),
      ],
    );
  }
}

function rowOrder({ projectId, day, apiKeyId }: RequestCount): string {
  return `${projectId} ${day} ${apiKeyId ?? ''}`;
}
