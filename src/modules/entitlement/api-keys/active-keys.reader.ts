import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';

/** Counts the active keys of a project. */
@Injectable()
export class ActiveKeysReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns how many keys are neither revoked nor expired at an instant.
   * @param sourceId counts the keys of this Event Source only
   */
  async countOf({ projectId }: Pick<ProjectScope, 'projectId'>, at: Date, sourceId?: string): Promise<number> {
    const [row] = await this.database.rows<{ active: number }>(
      `SELECT count(*)::int AS active FROM api_keys
       WHERE project_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
         AND ($3::uuid IS NULL OR source_id = $3)`,
      [projectId, at, sourceId ?? null],
    );
    return row?.active ?? 0;
  }
}
