import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import type { TimelineEntry, TimelineType } from './timeline-entry.entity.js';

export interface NewEntry {
  readonly type: TimelineType;
  readonly at: Date;
  /** The person who acted. Left out when the service acted. */
  readonly actorUserId?: string;
  readonly note?: string | undefined;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** An entry with name and mail address of the person who acted; null when there is no account. */
export type ReadEntry = TimelineEntry & { readonly actorName: string | null; readonly actorEmail: string | null };

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  /** Adds an entry. The caller has locked the row of the alert event. */
  async add(
    alert: { readonly id: string; readonly projectId: string },
    { type, at, actorUserId, note, detail = {} }: NewEntry,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO alert_timeline (id, project_id, alert_event_id, type, actor_user_id, note, detail, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [newId(), alert.projectId, alert.id, type, actorUserId ?? null, note ?? null, JSON.stringify(detail), at],
      tx,
    );
  }

  /** Returns the newest entries that fit into `mostBytes`, but at least one, oldest first. */
  async list(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    alertEventId: string,
    limit: number,
    mostBytes: number,
  ): Promise<{ readonly entries: ReadEntry[]; readonly bytes: number }> {
    const rows = await this.database.rows<ReadEntry & { readonly bytes: number }>(
      `SELECT t.*, u.name AS "actorName", u.email AS "actorEmail"
       FROM (
         SELECT *, row_number() OVER newest AS nth, sum(bytes) OVER newest AS "bytesSoFar"
         FROM (
           SELECT position, id, project_id AS "projectId", alert_event_id AS "alertEventId", type,
                  actor_user_id AS "actorUserId", note, detail, created_at AS "createdAt",
                  coalesce(octet_length(note), 0) + octet_length(detail::text) AS bytes
           FROM alert_timeline WHERE project_id = $1 AND alert_event_id = $2 ORDER BY position DESC LIMIT $3) page
         WINDOW newest AS (ORDER BY position DESC ROWS UNBOUNDED PRECEDING)
       ) t LEFT JOIN users u ON u.id = t."actorUserId"
       WHERE t.nth = 1 OR t."bytesSoFar" <= $4 ORDER BY t.position`,
      [projectId, alertEventId, limit, mostBytes],
    );
    return { entries: rows, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
  }
}
