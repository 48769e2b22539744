import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** Removes rows of the events table. The function `ingest_events` inserts them. */
@Injectable()
export class EventRemovalWriter {
  constructor(private readonly database: Database) {}

  /**
   * Removes rows of a deleted project. There may be many, and events have no foreign key to projects.
   * @returns the number of removed rows
   */
  async removeOf(projectId: ProjectId, limit: number): Promise<number> {
    const outbox = await this.removeOutbox(projectId, limit);
    return outbox === limit ? limit : outbox + (await this.removeOldest(projectId, limit - outbox));
  }

  /** Removes the oldest events of all partitions. @returns the number of removed events, at most `limit` */
  private removeOldest(projectId: ProjectId, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM events e
       USING (SELECT "timestamp", id FROM events WHERE project_id = $1 ORDER BY "timestamp", id LIMIT $2) oldest
       WHERE e.project_id = $1 AND e."timestamp" = oldest."timestamp" AND e.id = oldest.id`,
      [projectId, limit],
    );
  }

  /** Removes the project's rows of the outbox. @returns the number of removed rows, at most `limit` */
  private removeOutbox(projectId: ProjectId, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM event_outbox WHERE position IN (SELECT position FROM event_outbox WHERE project_id = $1 LIMIT $2)`,
      [projectId, limit],
    );
  }
}
