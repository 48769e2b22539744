import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { type EventRow, eventColumns } from './event-row.js';

/** A batch of accepted events of one project. */
export interface OutboxRow {
  readonly position: string;
  readonly events: number;
  /** Since their acceptance. */
  readonly waitedSeconds: number;
}

/**
 * Rows that nothing can come before any more: what began to be written before them has ended. A transaction that goes on
 * for long, whoever's it is, does not hold alerts up for more than ten seconds.
 */
const SETTLED = `(o.txid < pg_snapshot_xmin(pg_current_snapshot()) OR o.created_at < now() - interval '10 seconds')`;
const OLDEST = 5_000;

@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Projects with events to match or series that have come to rest, those that wait longest first. */
  async projectsWithWork(): Promise<string[]> {
    const rows = await this.database.rows<{ project_id: string }>(
      `SELECT project_id FROM (
         SELECT o.project_id, min(o.created_at) AS since
         FROM (SELECT * FROM event_outbox o WHERE ${SETTLED} ORDER BY o.position LIMIT ${OLDEST}) o
         JOIN event_watches USING (project_id) GROUP BY 1
         UNION ALL
         SELECT r.project_id, min(s.due_at) FROM alert_rule_series s JOIN alert_rules r ON r.id = s.rule_id
         WHERE s.due_at <= now() AND r.kind = 'match' GROUP BY 1) work
       GROUP BY 1 ORDER BY min(since)`,
    );
    return rows.map((row) => row.project_id);
  }

  /**
   * False when another worker has the project. An advisory lock, so that who changes the last rule need not wait for the
   * row that says the project is watched; two projects of one hash take turns.
   */
  async claim(projectId: string, tx: Db): Promise<boolean> {
    const rows = await this.database.rows<{ ours: boolean }>(
      `SELECT pg_try_advisory_xact_lock(hashtextextended('alert-rules:' || $1::text, 0)) AS ours`,
      [projectId],
      tx,
    );
    return rows[0]?.ours === true;
  }

  async read(projectId: string, limit: number, tx: Db): Promise<OutboxRow[]> {
    return this.database.rows<OutboxRow>(
      `SELECT o.position::text, cardinality(o.event_ids) AS events,
              extract(epoch FROM clock_timestamp() - o.created_at)::float8 AS "waitedSeconds"
       FROM event_outbox o
       WHERE o.project_id = $1 AND ${SETTLED} ORDER BY o.position LIMIT $2`,
      [projectId, limit],
      tx,
    );
  }

  /**
   * The events of rows in order.
   * @param types only events of these; null: all
   */
  async events(
    projectId: string,
    positions: readonly string[],
    { types, withProperties }: { types: readonly string[] | null; withProperties: boolean },
    tx: Db,
  ): Promise<EventRow[]> {
    return this.database.rows<EventRow>(
      `SELECT ${eventColumns(withProperties)}, o.created_at AS accepted_at
       FROM event_outbox o
       CROSS JOIN LATERAL unnest(o.event_ids, o.timestamps) WITH ORDINALITY AS w (id, at, place)
       JOIN events e ON e.project_id = $1 AND e."timestamp" = w.at AND e.id = w.id
       WHERE o.position = ANY ($2::bigint[]) AND ($3::text[] IS NULL OR e.event = ANY ($3::text[]))
       ORDER BY o.position, w.place`,
      [projectId, positions, types],
      tx,
    );
  }

  async properties(projectId: string, event: EventRow, tx: Db): Promise<Readonly<Record<string, unknown>>> {
    const rows = await this.database.rows<{ properties: Record<string, unknown> }>(
      'SELECT properties FROM events WHERE project_id = $1 AND "timestamp" = $2 AND id = $3',
      [projectId, event.timestamp, event.id],
      tx,
    );
    return rows[0]?.properties ?? {};
  }

  async remove(positions: readonly string[], tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM event_outbox WHERE position = ANY ($1::bigint[])', [positions], tx);
  }

  /** Rows that nobody waits for: written while the last rule of events was taken away. */
  removeUnwatched(): Promise<number> {
    return this.database.execute(
      `DELETE FROM event_outbox o WHERE o.created_at < now() - interval '1 minute'
       AND NOT EXISTS (SELECT FROM event_watches w WHERE w.project_id = o.project_id)`,
    );
  }
}
