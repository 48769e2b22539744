import type pg from 'pg';
import { statesOfProjects } from '../../../tenancy/projects/index.js';
import type { ProjectSum } from './replicated-events.repository.js';

/** Selects the events of a sum. */
export interface SummedEvents {
  /** Has the columns project_id, timestamp and id. */
  readonly relation: string;
  readonly within: (column: string) => string;
  /** A condition on the rows `e` that are counted in `own`. Counts all rows when omitted. */
  readonly own?: string;
}

/** A sum with the number of rows that match `own`, as digits. It includes rows that are not replicated yet. */
export interface KeptSum extends ProjectSum {
  readonly own: string;
}

/**
 * Returns the sums of the events that ClickHouse must have of each project, up to the last replicated block. Queued
 * events are subtracted. Projects that are deleted or being deleted are left out.
 * @param client a connection in a snapshot
 */
export async function projectSums(client: pg.Client, events: SummedEvents): Promise<KeptSum[]> {
  const { rows } = await client.query<KeptSum>(projectSumsSql(events));
  const states = await statesOver(client, rows);
  return rows.filter(({ project }) => states.get(project) === 'living');
}

/** Runs `statesOfProjects` in the transaction of the connection. */
export function statesOver(
  client: pg.Client,
  rows: readonly { readonly project: string }[],
): ReturnType<typeof statesOfProjects> {
  const ids = [...new Set(rows.map(({ project }) => project))];
  return statesOfProjects(
    ids,
    async <Row>(sql: string, values: unknown[]) => (await client.query(sql, values)).rows as Row[],
  );
}

function projectSumsSql({ relation, within, own = 'true' }: SummedEvents): string {
  const hash = (id: string): string => `('x' || right(${id}::text, 8))::bit(32)::bigint`;
  return `SELECT /* every tenant: what each has */ c.project_id::text AS project, sum(c.events)::text AS events, sum(c.ids)::text AS ids,
      sum(c.own)::text AS own
    FROM (
      SELECT e.project_id, count(*) AS events, sum(${hash('e.id')}) AS ids, count(*) FILTER (WHERE ${own}) AS own FROM ${relation} e
      WHERE ${within('e."timestamp"')} GROUP BY 1
      UNION ALL
      SELECT s.project_id, -count(*), -sum(${hash('f.id')}), 0 FROM event_shipments s
      CROSS JOIN LATERAL unnest(s.timestamps, s.ids) AS u (at, which)
      CROSS JOIN LATERAL (SELECT e.id FROM events e
        WHERE e.project_id = s.project_id AND e."timestamp" = u.at AND e.id = u.which OFFSET 0) f
      WHERE ${within('u.at')} GROUP BY 1) c
    GROUP BY 1`;
}
