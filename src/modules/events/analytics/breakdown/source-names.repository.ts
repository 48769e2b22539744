import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

@Injectable()
export class SourceNamesRepository {
  constructor(private readonly database: Database) {}

  /** Names of these Event Sources by id; those that are gone are missing. */
  async namesOf({ projectId }: Pick<ProjectScope, 'projectId'>, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.rows<{ id: string; name: string }>(
      'SELECT id, name FROM event_sources WHERE project_id = $1 AND id = ANY ($2::uuid[])',
      [projectId, ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
