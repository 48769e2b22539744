import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';

/** Reads the names of the Event Sources of a project. */
@Injectable()
export class SourceNamesReader {
  constructor(private readonly database: Database) {}

  /** Returns the names by id. @param ids reads only these; ids that no longer exist are left out */
  async of({ projectId }: Pick<ProjectScope, 'projectId'>, ids?: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.database.rows<{ id: string; name: string }>(
      'SELECT id, name FROM event_sources WHERE project_id = $1 AND ($2::uuid[] IS NULL OR id = ANY ($2))',
      [projectId, ids ?? null],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
