import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** Marks the replica as incomplete. Reads do not use ClickHouse until a backfill has compared every event. */
export const MARK_INCOMPLETE = `UPDATE event_shipping SET is_whole = is_whole AND block = 0, moved_project = NULL, moved_at = NULL,
  moved_id = NULL, moved_events = 0`;

/** Reads and changes the state of replication and its queue. */
@Injectable()
export class ReplicationStateRepository {
  constructor(private readonly database: Database) {}

  /** True when events are queued for replication, by this or another process. */
  async isBegun(): Promise<boolean> {
    return (await this.database.rows('SELECT 1 FROM event_shipping')).length > 0;
  }

  /** From now on all stored events are queued for replication. Does nothing when they already are. */
  async begin(): Promise<void> {
    await this.database.execute('SELECT begin_event_shipping()');
  }

  async markIncomplete(): Promise<void> {
    await this.database.execute(MARK_INCOMPLETE);
  }

  /**
   * Removes the records of a deleted project in dropped months, and its events in detached months.
   * @returns the number of removed rows
   */
  async forgetArchived(projectId: ProjectId, limit: number): Promise<number> {
    const detached = await this.database.rows<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c WHERE c.relkind = 'r' AND c.relname ~ '^events_cold_[0-9]{4}_[0-9]{2}$'
         AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'events'::regclass)`,
    );
    let removed = 0;
    for (const table of ['cold_months', ...detached.map(({ name }) => name)]) {
      removed += await this.database.execute(
        `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE project_id = $1 LIMIT $2))`,
        [projectId, limit - removed],
      );
      if (removed >= limit) break;
    }
    return removed;
  }

  /**
   * Removes the queue rows of a deleted project, except for the block in progress, which is sent in any case.
   * @returns the number of removed rows, at most `limit`, and whether no row of the project is left
   */
  removeOf(projectId: ProjectId, limit: number): Promise<{ removed: number; isEmpty: boolean }> {
    return this.database.transaction(async (tx) => {
      // The row lock prevents the choice of a new block meanwhile.
      const begun = await this.database.rows('SELECT 1 FROM event_shipping FOR UPDATE', [], tx);
      if (begun.length === 0) return { removed: 0, isEmpty: true };
      const removed = await this.database.execute(
        `DELETE FROM event_shipments WHERE project_id = $1 AND position IN (
           SELECT s.position FROM event_shipments s CROSS JOIN event_shipping p
           WHERE s.project_id = $1 AND s.position <> ALL (coalesce(p.taken, '{}')) LIMIT $2)`,
        [projectId, limit],
        tx,
      );
      const left = await this.database.rows(
        'SELECT 1 FROM event_shipments WHERE project_id = $1 LIMIT 1',
        [projectId],
        tx,
      );
      return { removed, isEmpty: left.length === 0 };
    });
  }
}
