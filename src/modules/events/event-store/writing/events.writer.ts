import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** What leaves the events table; what goes in is `ingest_events`. */
@Injectable()
export class EventsWriter {
  constructor(private readonly database: Database) {}

  /**
   * Of a deleted project: events have no foreign key to it, and there may be many.
   * @returns how many rows were removed
   */
  async removeOf(projectId: ProjectId, limit: number): Promise<number> {
    const outbox = await this.removeOutbox(projectId, limit);
    return outbox === limit ? limit : outbox + (await this.removeOldest(projectId, limit - outbox));
  }

  /** Oldest first, over all partitions. @returns how many were removed, at most `limit` */
  private removeOldest(projectId: ProjectId, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM events e
       USING (SELECT "timestamp", id FROM events WHERE project_id = $1 ORDER BY "timestamp", id LIMIT $2) oldest
       WHERE e.project_id = $1 AND e."timestamp" = oldest."timestamp" AND e.id = oldest.id`,
      [projectId, limit],
    );
  }

  /** What was kept for followers of the project's events. @returns how many rows were removed, at most `limit` */
  private removeOutbox(projectId: ProjectId, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM event_outbox WHERE position IN (SELECT position FROM event_outbox WHERE project_id = $1 LIMIT $2)`,
      [projectId, limit],
    );
  }
}
