import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

export interface SourceState {
  readonly id: string;
  readonly name: string;
  readonly last_event_at: Date | null;
}

@Injectable()
export class DashboardRepository {
  constructor(private readonly database: Database) {}

  /** Returns every Event Source of the project, ordered by name. */
  sources({ projectId }: Pick<ProjectScope, 'projectId'>, db: Db): Promise<SourceState[]> {
    return this.database.rows<SourceState>(
      `SELECT s.id, s.name, (SELECT d.last_event_at FROM source_days d
                             WHERE d.project_id = s.project_id AND d.source_id = s.id ORDER BY d.day DESC LIMIT 1)
       FROM event_sources s WHERE s.project_id = $1 ORDER BY s.name, s.id`,
      [projectId],
      db,
    );
  }
}
