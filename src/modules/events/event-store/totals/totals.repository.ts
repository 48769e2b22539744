import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

const COUNTERS = ['event_hours', 'event_facet_hours', 'event_facet_days', 'latency_hours', 'source_days'] as const;

/** Removes the counters of deleted projects. */
@Injectable()
export class EventTotalsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Called by maintenance for a deleted project, because no foreign key removes these rows. @returns the number of
   * removed rows
   */
  async removeOf(projectId: ProjectId, limit: number): Promise<number> {
    let removed = 0;
    for (const table of COUNTERS) {
      removed += await this.database.execute(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE project_id = $1 LIMIT $2))`,
        [projectId, limit - removed],
      );
      if (removed >= limit) break;
    }
    return removed;
  }
}
