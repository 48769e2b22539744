import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** What leaves the events table; what goes in is `ingest_events`. */
@Injectable()
export class EventsRepository {
  constructor(private readonly database: Database) {}

  /** Oldest first, over all partitions. @returns how many were removed, at most `limit` */
  removeOldest(projectId: string, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM events e
       USING (SELECT "timestamp", id FROM events WHERE project_id = $1 ORDER BY "timestamp", id LIMIT $2) oldest
       WHERE e.project_id = $1 AND e."timestamp" = oldest."timestamp" AND e.id = oldest.id`,
      [projectId, limit],
    );
  }

  /** What was kept for followers of the project's events. @returns how many rows were removed, at most `limit` */
  removeOutbox(projectId: string, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM event_outbox WHERE position IN (SELECT position FROM event_outbox WHERE project_id = $1 LIMIT $2)`,
      [projectId, limit],
    );
  }
}
