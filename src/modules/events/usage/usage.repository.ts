import { Injectable } from '@nestjs/common';
import type { ProjectId, ProjectScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';

/** The requests of one key on one UTC day. */
export interface RequestCount {
  readonly day: string;
  readonly projectId: ProjectId;
  readonly apiKeyId: string | null;
  readonly requests: number;
}

@Injectable()
export class UsageRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the metered events of all projects of the organization in the month that begins on a day (YYYY-MM-DD),
   * including deleted projects. The number is stored in one row. The transaction that stores events updates that row
   * together with `usage_daily`.
   */
  async eventsOf(scope: Pick<ProjectScope, 'organizationId'>, month: string): Promise<number> {
    const rows = await this.database.rows<{ events: number }>(
      'SELECT events::float8 AS events FROM organization_months WHERE organization_id = $1 AND month = $2',
      [scope.organizationId, month],
    );
    return rows[0]?.events ?? 0;
  }

  /**
   * Deletes the days of one project before `day` (YYYY-MM-DD).
   * @returns the number of removed rows, and the number of rows that remain
   */
  async removeBefore(projectId: ProjectId, day: string): Promise<{ removed: number; left: number }> {
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

  /**
   * Adds requests to their days and to the months of their organizations, in one transaction. Rows are locked in the
   * order in which `ingest_events` locks them, so that flushes and batches never deadlock.
   */
  async addRequests(counts: readonly RequestCount[]): Promise<void> {
    const columns = [
      counts.map((count) => count.day),
      counts.map((count) => count.projectId),
      counts.map((count) => count.apiKeyId),
      counts.map((count) => count.requests),
    ];
    await this.database.transaction(async (tx) => {
      await this.database.execute(
        `INSERT INTO organization_months AS m (organization_id, month, requests)
         SELECT p.organization_id, date_trunc('month', c.day::timestamp)::date, sum(c.requests)
         FROM ${COUNTS} JOIN projects p ON p.id = c.project_id
         GROUP BY 1, 2 ORDER BY 1, 2
         ON CONFLICT ON CONSTRAINT pk_organization_months DO UPDATE SET requests = m.requests + excluded.requests`,
        columns,
        tx,
      );
      await this.database.execute(
        `INSERT INTO usage_daily AS u (day, project_id, api_key_id, requests)
         SELECT c.day, c.project_id, c.api_key_id, c.requests
         FROM ${COUNTS} JOIN projects p ON p.id = c.project_id
         ORDER BY c.day, c.project_id, c.api_key_id
         ON CONFLICT ON CONSTRAINT uq_usage_daily_identity
         DO UPDATE SET requests = u.requests + excluded.requests, updated_at = now()`,
        columns,
        tx,
      );
    });
  }
}

const COUNTS = 'unnest($1::date[], $2::uuid[], $3::uuid[], $4::bigint[]) AS c (day, project_id, api_key_id, requests)';
