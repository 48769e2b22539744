import { Injectable } from '@nestjs/common';
import type { OrganizationId, ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { OPEN_WRITES, openWriteKeySql, openWritesSql } from '../../../../platform/database/open-writes.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import type { OutboxRow, OutboxSlice } from '../../../events/event-store/index.js';

const OPEN_WRITES_OF_OUTBOX = openWritesSql(OPEN_WRITES.eventOutbox);

@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the projects with events to match, alerts to raise or series that come to rest, the longest waiting first.
   */
  async projectsWithWork(): Promise<ProjectId[]> {
    const rows = await this.database.rows<{ project_id: ProjectId }>(
      `WITH writing AS MATERIALIZED (${OPEN_WRITES_OF_OUTBOX})
       SELECT project_id FROM ( /* every tenant: those in turn */
         SELECT w.project_id, o.created_at AS since FROM event_watches w CROSS JOIN LATERAL (
           SELECT o.created_at FROM event_outbox o WHERE o.project_id = w.project_id ORDER BY o.position LIMIT 1) o
         WHERE NOT EXISTS (
           SELECT FROM writing t WHERE t.key = ${openWriteKeySql('w.project_id')} AND t.since <= o.created_at)
         UNION ALL
         SELECT project_id, min(accepted_at) FROM alert_rule_firings GROUP BY 1
         UNION ALL
         SELECT r.project_id, min(s.due_at) FROM alert_rule_series s JOIN alert_rules r ON r.id = s.rule_id
         WHERE s.due_at <= now() AND r.kind = 'match' GROUP BY 1) work
       GROUP BY 1 ORDER BY min(since)`,
    );
    return rows.map((row) => row.project_id);
  }

  /**
   * Returns the first rows. With `before`, returns only rows that were accepted before this time and that no later row
   * can precede.
   */
  async read(projectId: string, before: Date | null, limit: number, db: Db): Promise<OutboxRow[]> {
    return this.database.rows<OutboxRow>(
      `SELECT o.position::text, cardinality(o.event_ids) AS events, o.created_at AS "acceptedAt",
              o.event_ids[1] AS "firstEventId",
              extract(epoch FROM clock_timestamp() - o.created_at)::float8 AS "waitedSeconds"
       FROM event_outbox o
       WHERE o.project_id = $1 AND o.created_at < coalesce($2::timestamptz, 'infinity') ORDER BY o.position LIMIT $3`,
      [projectId, before, limit],
      db,
    );
  }

  /**
   * Returns the time up to which all accepted events of the project have left the outbox. It is before the oldest row,
   * and before the beginning of any transaction that may still add a row. Open transactions are read before the rows,
   * so that the rows of a transaction that ends in between are seen.
   */
  async emptyUntil(projectId: string, tx: Db): Promise<Date> {
    const [running] = await this.database.rows<{ until: Date }>(
      `SELECT least(now.at, w.since) - interval '0.5 seconds' AS until
       FROM (SELECT clock_timestamp() AS at) now
       LEFT JOIN (${OPEN_WRITES_OF_OUTBOX}) w ON w.key = ${openWriteKeySql('$1::uuid')}`,
      [projectId],
      tx,
    );
    if (running === undefined) throw new Error('A left join gives a row');
    const [oldest] = await this.database.rows<{ since: Date | null }>(
      'SELECT min(created_at) AS since FROM event_outbox WHERE project_id = $1',
      [projectId],
      tx,
    );
    const since = oldest?.since ?? running.until;
    return since < running.until ? since : running.until;
  }

  /** Removes events from the outbox: of each row, the events up to the `last` of its slice. */
  async remove(projectId: ProjectId, slices: readonly OutboxSlice[], tx: Db): Promise<void> {
    const [ended, begun] = [slices.filter(isToItsEnd), slices.filter((one) => !isToItsEnd(one))];
    const positions = ended.map(({ row }) => row.position);
    await this.database.execute(
      'DELETE FROM event_outbox WHERE project_id = $1 AND position = ANY ($2::bigint[])',
      [projectId, positions],
      tx,
    );
    for (const { row, last } of begun) {
      await this.database.execute(
        `UPDATE event_outbox SET event_ids = event_ids[$3 + 1:], timestamps = timestamps[$3 + 1:]
         WHERE project_id = $1 AND position = $2`,
        [projectId, row.position, last],
        tx,
      );
    }
  }

  /** Returns null when the project is deleted. */
  async organizationOf(projectId: ProjectId, tx: Db): Promise<OrganizationId | null> {
    const [project] = await this.database.rows<{ organization_id: OrganizationId }>(
      'SELECT organization_id FROM projects WHERE id = $1 AND deleted_at IS NULL',
      [projectId],
      tx,
    );
    return project?.organization_id ?? null;
  }

  /** Deletes rows that no rule waits for. They were written while the last `match` rule was being removed. */
  removeUnwatched(): Promise<number> {
    return this.database.execute(
      `DELETE FROM event_outbox o WHERE /* every tenant: what nobody reads */ o.created_at < now() - interval '1 minute'
       AND NOT EXISTS (SELECT FROM event_watches w WHERE w.project_id = o.project_id)`,
    );
  }
}

/** Deletes rows of the outbox that no rule will read. */
@Injectable()
export class OutboxMaintenance extends MaintenanceTask {
  constructor(private readonly outbox: OutboxRepository) {
    super();
  }

  maintain(): Promise<number> {
    return this.outbox.removeUnwatched();
  }
}

function isToItsEnd({ row, last }: OutboxSlice): boolean {
  return last >= row.events;
}
