import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

/** What was copied may be lost: reads do without the copy until everything was looked for there. */
export const DOUBT = `UPDATE event_shipping SET is_whole = is_whole AND block = 0, moved_project = NULL, moved_at = NULL,
  moved_id = NULL, moved_events = 0`;

/** What is kept until it was copied. */
@Injectable()
export class WaitingEventsRepository {
  constructor(private readonly database: Database) {}

  /** Whether events are kept, here or for another process. */
  async isBegun(): Promise<boolean> {
    return (await this.database.rows('SELECT 1 FROM event_shipping')).length > 0;
  }

  /** From now on what is stored is kept until it was copied. Does nothing where that is so. */
  async begin(): Promise<void> {
    await this.database.execute('SELECT begin_event_shipping()');
  }

  async doubt(): Promise<void> {
    await this.database.execute(DOUBT);
  }

  /**
   * Forgets what there was of a deleted project in months that were dropped, and removes it from those that are about to be.
   * @returns how many rows were removed
   */
  async forgetCold(projectId: ProjectId, limit: number): Promise<number> {
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
   * Forgets what waits of a deleted project, but for what is under way: that is on its way whatever is done here.
   * @returns whether nothing of it is left, and how many were removed, at most `limit`
   */
  removeOf(projectId: ProjectId, limit: number): Promise<{ removed: number; isEmpty: boolean }> {
    return this.database.transaction(async (tx) => {
      // Nobody chooses a block meanwhile.
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
