import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** Finds and removes the rows of deleted projects and organizations. */
@Injectable()
export class ProjectRemovalRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the deleted project that was checked least recently, and marks it as checked. Skips projects that were
   * deleted less than `graceSeconds` ago.
   */
  async next(graceSeconds: number): Promise<ProjectId | undefined> {
    const [row] = await this.database.rows<{ id: ProjectId }>(
      `UPDATE /* every tenant: what is deleted */ projects SET removal_checked_at = clock_timestamp()
       WHERE id = (
         SELECT id FROM projects
         WHERE deleted_at IS NOT NULL AND deleted_at <= now() - $1 * interval '1 second'
         ORDER BY removal_checked_at NULLS FIRST, deleted_at LIMIT 1)
       RETURNING id`,
      [graceSeconds],
    );
    return row?.id;
  }

  /**
   * Removes organizations that were deleted at least `graceSeconds` ago and have no more projects. @returns the number
   * of removed organizations
   */
  removeOrganizations(graceSeconds: number): Promise<number> {
    return this.database.execute(
      `DELETE /* every tenant: what is deleted */ FROM organizations o
       WHERE deleted_at IS NOT NULL AND deleted_at <= now() - $1 * interval '1 second'
         AND NOT EXISTS (SELECT FROM projects p WHERE p.organization_id = o.id)`,
      [graceSeconds],
    );
  }

  /**
   * Removes the project's row. A cascade removes its rows in small tables. @returns the number of removed project rows
   */
  removeRow(projectId: ProjectId): Promise<number> {
    return this.database.execute('DELETE FROM projects WHERE id = $1 AND deleted_at IS NOT NULL', [projectId]);
  }
}
