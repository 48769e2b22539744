import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

const MONTH = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** Counts the bytes of content that were sent, by UTC month. */
@Injectable()
export class BandwidthRepository {
  constructor(private readonly database: Database) {}

  /**
   * Counts a response before it begins.
   * @param limit in bytes; null means none
   * @returns the month that the response counts towards, YYYY-MM-DD; null when not all of it fits
   */
  async take({ organizationId, projectId }: ProjectScope, bytes: number, limit: number | null): Promise<string | null> {
    const [row] = await this.database.rows<{ month: string }>(
      `WITH counted AS (
         INSERT INTO storage_months AS m (organization_id, month, sent)
         SELECT $1::uuid, ${MONTH}, $3::bigint
         WHERE $4::bigint IS NULL OR $3::bigint <= $4::bigint
         ON CONFLICT (organization_id, month) DO UPDATE SET sent = m.sent + excluded.sent
           WHERE $4::bigint IS NULL OR m.sent + excluded.sent <= $4::bigint
         RETURNING month)
       INSERT INTO project_storage_months AS p (project_id, month, sent)
       SELECT $2::uuid, month, $3::bigint FROM counted
       ON CONFLICT (project_id, month) DO UPDATE SET sent = p.sent + excluded.sent
       RETURNING month::text`,
      [organizationId, projectId, bytes, limit],
    );
    return row?.month ?? null;
  }

  /** Subtracts bytes that were counted but not received by the client. */
  async giveBack({ organizationId, projectId }: ProjectScope, month: string, bytes: number): Promise<void> {
    await this.database.execute(
      `WITH counted AS (
         UPDATE storage_months SET sent = greatest(sent - $3, 0) WHERE organization_id = $1 AND month = $4::date)
       UPDATE project_storage_months SET sent = greatest(sent - $3, 0) WHERE project_id = $2 AND month = $4::date`,
      [organizationId, projectId, bytes, month],
    );
  }

  async of({ organizationId, projectId }: ProjectScope, db?: Db): Promise<{ organization: number; project: number }> {
    const [row] = await this.database.rows<{ organization: number; project: number }>(
      `SELECT
         coalesce((SELECT sent FROM storage_months WHERE organization_id = $1 AND month = ${MONTH}), 0)::float8
           AS organization,
         coalesce((SELECT sent FROM project_storage_months WHERE project_id = $2 AND month = ${MONTH}), 0)::float8
           AS project`,
      [organizationId, projectId],
      db,
    );
    return row ?? { organization: 0, project: 0 };
  }
}
