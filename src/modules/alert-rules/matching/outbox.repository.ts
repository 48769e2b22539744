import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { fieldSql } from '../../alert-conditions/index.js';
import { INGEST_CONNECTION_NAME } from '../../events/index.js';
import { Parameters } from '../../event-totals/index.js';
import { TOLD_COLUMNS, type ToldEvent } from './event-row.js';
import type { AcceptedEvent } from './match-batch.js';

/** A batch of accepted events of one project. */
export interface OutboxRow {
  readonly position: string;
  readonly events: number;
  readonly acceptedAt: Date;
  /** Since then. */
  readonly waitedSeconds: number;
}

/**
 * Rows that nothing can come before any more: what began to be written before them has ended. A transaction that goes on
 * for long, whoever's it is, does not hold alerts up for more than ten seconds.
 */
const SETTLED = `(o.txid < pg_snapshot_xmin(pg_current_snapshot()) OR o.created_at < now() - interval '10 seconds')`;

@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Projects with events to match or series that have come to rest, those that wait longest first. */
  async projectsWithWork(): Promise<string[]> {
    const rows = await this.database.rows<{ project_id: string }>(
      `SELECT project_id FROM (
         SELECT w.project_id, o.created_at AS since FROM event_watches w CROSS JOIN LATERAL (
           SELECT o.created_at FROM event_outbox o WHERE o.project_id = w.project_id AND ${SETTLED}
           ORDER BY o.position LIMIT 1) o
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
      `SELECT o.position::text, cardinality(o.event_ids) AS events, o.created_at AS "acceptedAt",
              extract(epoch FROM clock_timestamp() - o.created_at)::float8 AS "waitedSeconds"
       FROM event_outbox o
       WHERE o.project_id = $1 AND ${SETTLED} ORDER BY o.position LIMIT $2`,
      [projectId, limit],
      tx,
    );
  }

  /**
   * Up to when everything that was accepted for the project has been taken from the outbox: before its oldest row, settled
   * or not, and before the beginning of any transaction that may still bring one, unless it takes longer than ten seconds.
   * What brings rows is looked for before the rows, so that one which ends in between is seen.
   */
  async emptyUntil(projectId: string, tx: Db): Promise<Date> {
    const [running] = await this.database.rows<{ until: Date }>(
      `SELECT least(now.at, greatest(coalesce(min(s.xact_start), now.at), now.at - interval '10 seconds')) - interval '0.5 seconds' AS until
       FROM (SELECT clock_timestamp() AS at) now
       LEFT JOIN pg_stat_activity s ON s.datname = current_database() AND s.pid <> pg_backend_pid()
         AND (s.backend_xid IS NOT NULL AND s.application_name LIKE 'service-%' OR s.application_name = $1)
       GROUP BY now.at`,
      [INGEST_CONNECTION_NAME],
      tx,
    );
    if (running === undefined) throw new Error('An aggregate gives a row');
    const [oldest] = await this.database.rows<{ since: Date | null }>(
      'SELECT min(created_at) AS since FROM event_outbox WHERE project_id = $1',
      [projectId],
      tx,
    );
    const since = oldest?.since ?? running.until;
    return since < running.until ? since : running.until;
  }

  /**
   * The events of rows in order, with these fields and no more: most events set nothing off, and reading them whole would
   * cost more than all the rest.
   * @param types only events of these; null: all
   */
  async events(
    projectId: string,
    rows: readonly OutboxRow[],
    { types, fields }: { types: readonly string[] | null; fields: readonly string[] },
    tx: Db,
  ): Promise<AcceptedEvent[]> {
    const parameters = new Parameters();
    const bind = (value: unknown): string => parameters.bind(value);
    const given = rows.map(({ position }) => position);
    const found = await this.database.rows<{ event: [number, number, ...unknown[]] }>(
      `SELECT json_build_array(r.at, w.place${fields.map((field) => `, ${fieldSql(field, bind)}`).join('')}) AS event
       FROM unnest(${bind(given)}::bigint[]) WITH ORDINALITY AS r (position, at)
       JOIN event_outbox o USING (position)
       CROSS JOIN LATERAL unnest(o.event_ids, o.timestamps) WITH ORDINALITY AS w (id, at, place)
       ${eventAt(bind(projectId), 'w.id', 'w.at')}
       ${types === null ? '' : `WHERE e.event = ANY (${bind(types)}::text[])`}
       ORDER BY r.at, w.place`,
      parameters.values,
      tx,
    );
    return found.flatMap(({ event: [at, place, ...values] }) => {
      const row = rows[at - 1];
      if (row === undefined) return [];
      const read = Object.fromEntries(fields.map((field, index) => [field, values[index]]));
      return [{ position: row.position, place, acceptedAt: row.acceptedAt, fields: read }];
    });
  }

  /** What is told of events, in their order. */
  async told(projectId: string, events: readonly AcceptedEvent[], tx: Db): Promise<(ToldEvent | null)[]> {
    if (events.length === 0) return [];
    const rows = await this.database.rows<ToldEvent & { at: number }>(
      `SELECT r.at::int, ${TOLD_COLUMNS}
       FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS r (position, place, at)
       JOIN event_outbox o USING (position)
       ${eventAt('$1', 'o.event_ids[r.place]', 'o.timestamps[r.place]')}`,
      [projectId, events.map(({ position }) => position), events.map(({ place }) => place)],
      tx,
    );
    const found = new Map(rows.map(({ at, ...event }) => [at, event]));
    return events.map((_, index) => found.get(index + 1) ?? null);
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

/** Joins an event by its key, one at a time: no other plan may be tried, since one that reads more grows with the table. */
function eventAt(projectId: string, id: string, timestamp: string): string {
  return `CROSS JOIN LATERAL (
    SELECT * FROM events e WHERE e.project_id = ${projectId}::uuid AND e."timestamp" = ${timestamp} AND e.id = ${id}
    OFFSET 0) e`;
}
