import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** Removes the traces of events. They are written with their events, and read when an alert is raised. */
@Injectable()
export class EventTracesWriter {
  constructor(private readonly database: Database) {}

  /** Removes traces that are older than an hour. @returns the number of removed rows, at most `limit` */
  removeExpired(limit: number): Promise<number> {
    return this.database.execute(
      `/* every tenant: removal of expired rows */
       DELETE FROM event_traces WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM event_traces WHERE created_at < now() - interval '1 hour'
         ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [limit],
    );
  }

  /** Removes traces of a deleted project. @returns the number of removed rows, at most `limit` */
  removeOf(projectId: ProjectId, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM event_traces WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM event_traces WHERE project_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [projectId, limit],
    );
  }
}
