import { Injectable } from '@nestjs/common';
import type { OrganizationId, ProjectId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { OPEN_WRITES, openWriteKeySql, openWritesSql } from '../../../../platform/database/open-writes.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import { fieldSql } from '../../../events/conditions/index.js';
import { TOLD_COLUMNS, type ToldEvent } from './event-row.js';
import type { AcceptedEvent } from './match-batch.js';
import { LEFT_OUT } from './match-firing.js';

/** A batch of accepted events of one project. */
export interface OutboxRow {
  readonly position: string;
  readonly events: number;
  readonly acceptedAt: Date;
  /** The first of its events; null: it holds none. */
  readonly firstEventId: string | null;
  /** Since then. */
  readonly waitedSeconds: number;
}

/** The events of a row from the first (counted from 1) to the last, both among them. */
export interface Stretch {
  readonly row: OutboxRow;
  readonly first: number;
  readonly last: number;
}

const OPEN_WRITES_OF_OUTBOX = openWritesSql(OPEN_WRITES.eventOutbox);

@Injectable()
export class OutboxRepository {
  constructor(private readonly database: Database) {}

  /** Projects with events to match, alerts to raise or series that have come to rest, those that wait longest first. */
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

  /** The first rows; those accepted before a time alone, of which nothing that comes before them is missing. */
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
   * Up to when everything that was accepted for the project has been taken from the outbox: before its oldest row, and
   * before the beginning of any transaction that may still bring one. What brings rows is looked for before the rows, so
   * that one which ends in between is seen.
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

  /**
   * The events of stretches in order, with these fields and no more: most events set nothing off, and reading them whole
   * would cost more than all the rest.
   * @param types only events of these; null: all
   */
  async events(
    projectId: string,
    stretches: readonly Stretch[],
    { types, fields }: { types: readonly string[] | null; fields: readonly string[] },
    db: Db,
  ): Promise<AcceptedEvent[]> {
    const parameters = new Parameters();
    const bind = (value: unknown): string => parameters.bind(value);
    const project = bind(projectId);
    const positions = bind(stretches.map(({ row }) => row.position));
    const firsts = bind(stretches.map(({ first }) => first));
    const lasts = bind(stretches.map(({ last }) => last));
    const found = await this.database.rows<{ event: [number, number, string, string, ...unknown[]] }>(
      `SELECT json_build_array(r.at, w.place, w.id, w.at${fields.map((field) => `, ${fieldSql(field, bind)}`).join('')}) AS event
       FROM unnest(${positions}::bigint[], ${firsts}::int[], ${lasts}::int[]) WITH ORDINALITY AS r (position, first, last, at)
       CROSS JOIN LATERAL (
         SELECT * FROM event_outbox o WHERE o.project_id = ${project}::uuid AND o.position = r.position OFFSET 0) o
       CROSS JOIN LATERAL unnest(o.event_ids[r.first:r.last], o.timestamps[r.first:r.last]) WITH ORDINALITY AS w (id, at, place)
       ${eventAt(project, 'w.id', 'w.at')}
       ${types === null ? '' : `WHERE e.event = ANY (${bind(types)}::text[])`}
       ORDER BY r.at, w.place`,
      parameters.values,
      db,
    );
    return found.flatMap(({ event: [at, place, id, timestamp, ...values] }) => {
      const stretch = stretches[at - 1];
      if (stretch === undefined) return [];
      const { row, first } = stretch;
      const read = Object.fromEntries(fields.map((field, index) => [field, values[index]]));
      const { position, acceptedAt } = row;
      return [{ position, place: first + place - 1, id, timestamp, acceptedAt, fields: read }];
    });
  }

  /** What the events of stretches take as text, of which nothing large is read for it. */
  async bytesOf(projectId: string, stretches: readonly Stretch[], db: Db): Promise<number> {
    const [row] = await this.database.rows<{ bytes: number }>(
      `SELECT coalesce(sum(coalesce(e.bytes, octet_length(e.properties::text))), 0)::float8 AS bytes
       FROM unnest($2::bigint[], $3::int[], $4::int[]) AS r (position, first, last)
       CROSS JOIN LATERAL (
         SELECT * FROM event_outbox o WHERE o.project_id = $1 AND o.position = r.position OFFSET 0) o
       CROSS JOIN LATERAL unnest(o.event_ids[r.first:r.last], o.timestamps[r.first:r.last]) AS w (id, at)
       ${eventAt('$1', 'w.id', 'w.at')}`,
      [
        projectId,
        stretches.map(({ row: { position } }) => position),
        stretches.map(({ first }) => first),
        stretches.map(({ last }) => last),
      ],
      db,
    );
    return row?.bytes ?? 0;
  }

  /** What is told of events, in their order; null: it is gone. Properties beyond what anybody is told are left out here. */
  async told(
    projectId: string,
    events: readonly { readonly eventId: string; readonly eventAt: string }[],
    db: Db,
  ): Promise<(ToldEvent | null)[]> {
    if (events.length === 0) return [];
    const rows = await this.database.rows<ToldEvent & { at: number }>(
      `SELECT r.at::int, ${TOLD_COLUMNS.replace('e.properties', TOLD_PROPERTIES)}
       FROM unnest($2::uuid[], $3::timestamptz[]) WITH ORDINALITY AS r (id, "timestamp", at)
       ${eventAt('$1', 'r.id', 'r."timestamp"')}`,
      [projectId, events.map(({ eventId }) => eventId), events.map(({ eventAt: at }) => at)],
      db,
    );
    const found = new Map(rows.map(({ at, ...event }) => [at, event]));
    return events.map((_, index) => found.get(index + 1) ?? null);
  }

  /** Takes events from the outbox: each row up to the last of its stretch. */
  async remove(projectId: ProjectId, stretches: readonly Stretch[], tx: Db): Promise<void> {
    const [ended, begun] = [stretches.filter(isToItsEnd), stretches.filter((one) => !isToItsEnd(one))];
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

  /** Null: the project is deleted. */
  async organizationOf(projectId: ProjectId, tx: Db): Promise<OrganizationId | null> {
    const [project] = await this.database.rows<{ organization_id: OrganizationId }>(
      'SELECT organization_id FROM projects WHERE id = $1 AND deleted_at IS NULL',
      [projectId],
      tx,
    );
    return project?.organization_id ?? null;
  }

  /** Rows that nobody waits for: written while the last rule of events was taken away. */
  removeUnwatched(): Promise<number> {
    return this.database.execute(
      `DELETE FROM event_outbox o WHERE /* every tenant: what nobody reads */ o.created_at < now() - interval '1 minute'
       AND NOT EXISTS (SELECT FROM event_watches w WHERE w.project_id = o.project_id)`,
    );
  }
}

/** Removes rows of the outbox that nobody will read. */
@Injectable()
export class OutboxMaintenance extends MaintenanceTask {
  constructor(private readonly outbox: OutboxRepository) {
    super();
  }

  maintain(): Promise<number> {
    return this.outbox.removeUnwatched();
  }
}

function isToItsEnd({ row, last }: Stretch): boolean {
  return last >= row.events;
}

/** Of the properties of one event. Far more than {@link matchFiring} tells; each may be a megabyte, and a batch tells of many. */
export const MOST_TOLD_BYTES = 64 * 1024;
const TOLD_PROPERTIES = `CASE WHEN coalesce(e.bytes, octet_length(e.properties::text)) <= ${MOST_TOLD_BYTES} THEN e.properties
  ELSE '${JSON.stringify(LEFT_OUT)}' END AS properties`;

/** Joins an event by its key, one at a time: no other plan may be tried, since one that reads more grows with the table. */
function eventAt(projectId: string, id: string, timestamp: string): string {
  return `CROSS JOIN LATERAL (
    SELECT * FROM events e WHERE e.project_id = ${projectId}::uuid AND e."timestamp" = ${timestamp} AND e.id = ${id}
    OFFSET 0) e`;
}
