import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import type { TimelineEntry, TimelineType } from './timeline-entry.entity.js';

export interface NewEntry {
  readonly type: TimelineType;
  readonly at: Date;
  /** Left out: the service itself. */
  readonly actorUserId?: string;
  readonly note?: string | undefined;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** An entry with the person who acted, where they still have an account. */
export type ReadEntry = TimelineEntry & { readonly actorName: string | null; readonly actorEmail: string | null };

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  /** The caller holds the alert event's row. */
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

  /** The newest entries, in the order in which they came. */
  list({ projectId }: Pick<ProjectScope, 'projectId'>, alertEventId: string, limit: number): Promise<ReadEntry[]> {
    return this.database.rows<ReadEntry>(
      `SELECT t.*, u.name AS "actorName", u.email AS "actorEmail"
       FROM (
         SELECT position, id, project_id AS "projectId", alert_event_id AS "alertEventId", type,
                actor_user_id AS "actorUserId", note, detail, created_at AS "createdAt"
         FROM alert_timeline WHERE project_id = $1 AND alert_event_id = $2 ORDER BY position DESC LIMIT $3
       ) t LEFT JOIN users u ON u.id = t."actorUserId" ORDER BY t.position`,
      [projectId, alertEventId, limit],
    );
  }
}
