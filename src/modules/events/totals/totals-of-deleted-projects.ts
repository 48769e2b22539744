import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { ProjectBelongings, type RemovalStep } from '../../tenancy/projects/index.js';

const TABLES = ['event_hours', 'event_facet_hours', 'event_facet_days', 'latency_hours', 'source_days'] as const;

/** The counters of events have no foreign key to their project. */
@Injectable()
export class TotalsOfDeletedProjects extends ProjectBelongings {
  constructor(private readonly database: Database) {
    super();
  }

  async removeOf(projectId: string, limit: number): Promise<RemovalStep> {
    let removed = 0;
    for (const table of TABLES) {
      removed += await this.database.execute(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE project_id = $1 LIMIT $2))`,
        [projectId, limit - removed],
      );
      if (removed >= limit) return { removed, done: false };
    }
    return { removed, done: true };
  }
}
