import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import { Parameters } from '../../../../platform/database/parameters.js';
import { parseExact } from '../../../../platform/json/index.js';
import { fieldSql } from '../../conditions/index.js';
import type { AcceptedEvent, OutboxSlice } from './accepted-event.js';
import { LEFT_OUT, TOLD_COLUMNS, type ToldEvent } from './event-row.js';

/** Reads the events that the outbox names. */
@Injectable()
export class AcceptedEventsReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns the events of slices in order, with the given fields only. Most events match no rule, and reading them
   * completely would be the largest cost.
   * @param types only events of these types; null for all
   */
  async events(
    projectId: string,
    slices: readonly OutboxSlice[],
    { types, fields }: { types: readonly string[] | null; fields: readonly string[] },
    db: Db,
  ): Promise<AcceptedEvent[]> {
    const parameters = new Parameters();
    const bind = (value: unknown): string => parameters.bind(value);
    const project = bind(projectId);
    const positions = bind(slices.map(({ row }) => row.position));
    const firsts = bind(slices.map(({ first }) => first));
    const lasts = bind(slices.map(({ last }) => last));
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
    return found.flatMap(({ event: [at, ordinal, id, timestamp, ...values] }) => {
      const slice = slices[at - 1];
      if (slice === undefined) return [];
      const { row, first } = slice;
      const read = Object.fromEntries(fields.map((field, index) => [field, values[index]]));
      const { position, acceptedAt } = row;
      return [{ position, ordinal: first + ordinal - 1, id, timestamp, acceptedAt, fields: read }];
    });
  }

  /**
   * Returns the total size of the events as text in bytes. The properties of an event with a known size are not read.
   */
  async bytesOf(projectId: string, slices: readonly OutboxSlice[], db: Db): Promise<number> {
    const [row] = await this.database.rows<{ bytes: number }>(
      `SELECT coalesce(sum(coalesce(e.bytes, octet_length(e.properties::text))), 0)::float8 AS bytes
       FROM unnest($2::bigint[], $3::int[], $4::int[]) AS r (position, first, last)
       CROSS JOIN LATERAL (
         SELECT * FROM event_outbox o WHERE o.project_id = $1 AND o.position = r.position OFFSET 0) o
       CROSS JOIN LATERAL unnest(o.event_ids[r.first:r.last], o.timestamps[r.first:r.last]) AS w (id, at)
       ${eventAt('$1', 'w.id', 'w.at')}`,
      [
        projectId,
        slices.map(({ row: { position } }) => position),
        slices.map(({ first }) => first),
        slices.map(({ last }) => last),
      ],
      db,
    );
    return row?.bytes ?? 0;
  }

  /**
   * Returns the parts of events that alerts show, in order. Null for an event that was deleted. Of many or large
   * properties, only small ones are returned.
   */
  async told(
    projectId: string,
    events: readonly { readonly eventId: string; readonly eventAt: string }[],
    db: Db,
  ): Promise<(ToldEvent | null)[]> {
    if (events.length === 0) return [];
    const rows = await this.database.rows<Omit<ToldEvent, 'properties'> & { at: number; properties: string }>(
      `SELECT r.at::int, ${TOLD_COLUMNS.replace('e.properties', TOLD_PROPERTIES)}
       FROM unnest($2::uuid[], $3::timestamptz[]) WITH ORDINALITY AS r (id, "timestamp", at)
       ${eventAt('$1', 'r.id', 'r."timestamp"')}`,
      [projectId, events.map(({ eventId }) => eventId), events.map(({ eventAt: at }) => at)],
      db,
    );
    const found = new Map(
      rows.map(({ at, properties, ...event }) => [
        at,
        { ...event, properties: parseExact(properties) as ToldEvent['properties'] },
      ]),
    );
    return events.map((_, index) => found.get(index + 1) ?? null);
  }
}

/**
 * The limit for the properties of one event. Alerts show far less. Without the limit a batch of events with properties
 * of a megabyte each would be read.
 */
export const MOST_TOLD_BYTES = 64 * 1024;
/**
 * When the properties exceed the limit, only small ones are returned: at most this many, of at most this many bytes
 * each. Together they are below the limit.
 */
const [MOST_SMALL, MOST_SMALL_BYTES] = [60, 1_000];
const TOLD_PROPERTIES = `CASE WHEN coalesce(e.bytes, octet_length(e.properties::text)) <= ${MOST_TOLD_BYTES} THEN e.properties::text
  ELSE (coalesce((
    SELECT jsonb_object_agg(key, value) FROM (
      SELECT key, value FROM jsonb_each(e.properties)
      WHERE octet_length(key) + octet_length(value::text) <= ${MOST_SMALL_BYTES} LIMIT ${MOST_SMALL}) small), '{}')
    || '${JSON.stringify(LEFT_OUT)}'::jsonb)::text END AS properties`;

/** Joins events by their key, one at a time. OFFSET 0 prevents other plans, whose cost would grow with the table. */
function eventAt(projectId: string, id: string, timestamp: string): string {
  return `CROSS JOIN LATERAL (
    SELECT * FROM events e WHERE e.project_id = ${projectId}::uuid AND e."timestamp" = ${timestamp} AND e.id = ${id}
    OFFSET 0) e`;
}
