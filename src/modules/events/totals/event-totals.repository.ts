import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

const TABLES = ['event_hours', 'event_facet_hours', 'event_facet_days', 'latency_hours', 'source_days'] as const;

/** The counters of events, which have no foreign key to their project. {@link EventTotals} reads them. */
@Injectable()
export class EventTotalsRepository {
  constructor(private readonly database: Database) {}

  /** @returns how many rows were removed */
  async removeOf(projectId: string, limit: number): Promise<number> {
    let removed = 0;
    for (const table of TABLES) {
      removed += await this.database.execute(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE project_id = $1 LIMIT $2))`,
        [projectId, limit - removed],
      );
      if (removed >= limit) break;
    }
    return removed;
  }
}
