import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import type { Duplicates } from './write-request.js';

/** Reads and removes the keys of events that are stored once. The function `ingest_unique_events` writes them. */
@Injectable()
export class UniqueEventsWriter {
  constructor(private readonly database: Database) {}

  /** Returns the ids of stored events that have one of the keys, by the ids of the new events with the same key. */
  async duplicatesOf(projectId: ProjectId, keys: ReadonlyMap<string, Buffer>): Promise<Duplicates> {
    const rows = await this.database.rows<{ sent: string; stored: string }>(
      `SELECT k.sent, u.event_id AS stored
       FROM unnest($2::uuid[], $3::bytea[]) AS k (sent, digest)
       JOIN unique_events u ON u.project_id = $1 AND u.digest = k.digest
       WHERE u.created_at > now() - interval '24 hours'`,
      [projectId, [...keys.keys()], [...keys.values()]],
    );
    return new Map(rows.map(({ sent, stored }) => [sent, stored]));
  }

  /**
   * Removes the oldest keys. A key is valid for 24 hours, and is removed an hour later, so that no running batch misses
   * it.
   * @returns the number of removed keys, at most `limit`
   */
  removeExpired(limit: number): Promise<number> {
    return this.database.execute(
      `/* every tenant: removal of expired rows */
       DELETE FROM unique_events WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM unique_events WHERE created_at < now() - interval '25 hours'
         ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [limit],
    );
  }

  /** Removes keys of a deleted project. @returns the number of removed keys, at most `limit` */
  removeOf(projectId: ProjectId, limit: number): Promise<number> {
    return this.database.execute(
      `DELETE FROM unique_events WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM unique_events WHERE project_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [projectId, limit],
    );
  }
}
