import { expect } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { ReplicationLoop } from '../../src/modules/events/event-store/replication/replication-loop.js';
import { EVENT_COLUMNS } from '../../src/modules/events/event-store/clickhouse-schema/columns.js';
import type { EventStore } from './clickhouse.js';
import { eventually } from './eventually.js';

/** Queries PostgreSQL through the application of a test or through a connection. */
export interface Rows {
  rows<Row>(sql: string, parameters?: unknown[]): Promise<Row[]>;
}

/** A project's day in one store: the number of events and a checksum over all their bytes. */
interface Day {
  readonly project_id: string;
  readonly day: string;
  readonly events: string;
  readonly checksum: string;
}

const NULL = '\\N';
const BETWEEN = '\u001f';

/** The columns in PostgreSQL, as texts of the same form as {@link REPLICATED}. */
const STORED = EVENT_COLUMNS.map(({ name, sql }) =>
  name === 'timestamp' || name === 'created_at'
    ? `to_char(${sql}, 'YYYY-MM-DD HH24:MI:SS.MS')`
    : `coalesce((${sql})::text, '${NULL}')`,
).join(`, `);
const REPLICATED = EVENT_COLUMNS.map(({ name }) => `ifNull(toString(${name}), '\\${NULL}')`).join(`, `);

/** Returns the days of each project. The checksum does not depend on the order of the events. */
function postgresDays(database: Rows): Promise<Day[]> {
  return database.rows<Day>(
    `SELECT project_id::text, to_char(e."timestamp" AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, count(*)::text AS events,
            sum(('x' || left(md5(concat_ws('${BETWEEN}', ${STORED})), 8))::bit(32)::bigint)::text AS checksum
     FROM events e GROUP BY 1, 2 ORDER BY 1, 2`,
  );
}

export function replicatedDays({ server }: EventStore): Promise<Day[]> {
  return server.rows<Day>(
    `SELECT toString(project_id) AS project_id, formatDateTime(timestamp, '%Y-%m-%d') AS day, toString(count()) AS events,
            toString(sum(reinterpretAsUInt32(reverse(substring(MD5(concatWithSeparator('${BETWEEN}', ${REPLICATED})), 1, 4))))) AS checksum
     FROM \`${server.database}\`.events GROUP BY 1, 2 ORDER BY 1, 2`,
  );
}

/** Returns whole rows, which show more than a different checksum. */
export async function postgresRows(database: Rows): Promise<string[]> {
  const rows = await database.rows<{ row: string }>(
    `SELECT concat_ws('${BETWEEN}', ${STORED}) AS row FROM events e ORDER BY project_id, "timestamp", id`,
  );
  return rows.map(({ row }) => row);
}

export async function replicatedRows({ server }: EventStore): Promise<string[]> {
  const rows = await server.rows<{ row: string }>(
    `SELECT concatWithSeparator('${BETWEEN}', ${REPLICATED}) AS row FROM \`${server.database}\`.events
     ORDER BY toString(project_id), timestamp, UUIDToNum(id)`,
  );
  return rows.map(({ row }) => row);
}

/** Lets an application replicate small blocks at once, and retry soon after a failure. */
export function replicateSoon({ nest }: { readonly nest: Pick<INestApplicationContext, 'get'> }): void {
  Object.assign(nest.get(ReplicationLoop, { strict: false }), { idleMs: 60, apartMs: 0, longestWaitMs: 500 });
}

/** Returns the number of rows in the replication queue. */
export async function replicationQueueLength(database: Rows): Promise<number> {
  const [row] = await database.rows<{ rows: number }>('SELECT count(*)::int AS rows FROM event_shipments');
  return row?.rows ?? 0;
}

export async function allReplicated(database: Rows): Promise<void> {
  await eventually(
    () => replicationQueueLength(database),
    (left) => left === 0,
  );
}

/** Asserts that both stores have the same events, and none twice. */
export async function expectSame(database: Rows, store: EventStore): Promise<void> {
  await allReplicated(database);
  expect(await replicatedDays(store)).toEqual(await postgresDays(database));
}

/** Merges the parts of each month into one, as the server does in time. */
export async function merge({ server }: EventStore): Promise<void> {
  await server.command(`OPTIMIZE TABLE \`${server.database}\`.events FINAL`);
}
