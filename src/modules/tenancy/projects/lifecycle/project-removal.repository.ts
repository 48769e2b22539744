import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** Projects that are deleted and not yet gone. */
@Injectable()
export class ProjectRemovalRepository {
  constructor(private readonly database: Database) {}

  /** The project deleted long enough ago that was not looked at for the longest time. Marks it as looked at. */
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

  /** Those that were deleted long enough ago and have no projects left. @returns how many */
  removeOrganizations(graceSeconds: number): Promise<number> {
    return this.database.execute(
      `DELETE /* every tenant: what is deleted */ FROM organizations o
       WHERE deleted_at IS NOT NULL AND deleted_at <= now() - $1 * interval '1 second'
         AND NOT EXISTS (SELECT FROM projects p WHERE p.organization_id = o.id)`,
      [graceSeconds],
    );
  }

  /** Small tables with a foreign key to the project go with its row. @returns how many rows were there */
  removeRow(projectId: ProjectId): Promise<number> {
    return this.database.execute('DELETE FROM projects WHERE id = $1 AND deleted_at IS NOT NULL', [projectId]);
  }
}
