/** Of a relation of events; the conditions are on the name of a column of times. */
export interface SummedEvents {
  /** With the columns project_id, timestamp and id. */
  readonly relation: string;
  readonly within: (column: string) => string;
}

/**
 * What the event store has to have of each project up to the block that was copied last, of the moment of the statement: what waits
 * is taken away. Projects that are being deleted, or gone, are left out.
 */
export function projectSumsSql({ relation, within }: SummedEvents): string {
  const hash = (id: string): string => `('x' || right(${id}::text, 8))::bit(32)::bigint`;
  return `SELECT /* every tenant: what each has */ c.project_id::text AS project, sum(c.events)::text AS events, sum(c.ids)::text AS ids
    FROM (
      SELECT e.project_id, count(*) AS events, sum(${hash('e.id')}) AS ids FROM ${relation} e
      WHERE ${within('e."timestamp"')} GROUP BY 1
      UNION ALL
      SELECT s.project_id, -count(*), -sum(${hash('f.id')}) FROM event_shipments s
      CROSS JOIN LATERAL unnest(s.timestamps, s.ids) AS u (at, which)
      CROSS JOIN LATERAL (SELECT e.id FROM events e
        WHERE e.project_id = s.project_id AND e."timestamp" = u.at AND e.id = u.which OFFSET 0) f
      WHERE ${within('u.at')} GROUP BY 1) c
    WHERE EXISTS (SELECT FROM projects p WHERE p.id = c.project_id AND p.deleted_at IS NULL)
    GROUP BY 1`;
}
