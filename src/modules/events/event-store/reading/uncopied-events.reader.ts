import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';

/**
 * At most this many events that are not replicated yet are looked up by their keys. With more, PostgreSQL answers
 * alone.
 */
export const MOST_UNCOPIED = 100_000;

/** Reads the last replicated block, and selects the events after it. */
@Injectable()
export class UncopiedEventsReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns the last replicated block. The given snapshot must also be used to read the events after it.
   * @returns null when the replica is incomplete, or too many events of the project are not replicated yet
   */
  async block({ projectId }: Pick<ProjectScope, 'projectId'>, tx: Db): Promise<number | null> {
    const { bind, values } = new Parameters();
    const waiting = waitingSql(bind(projectId), MOST_UNCOPIED);
    const [row] = await this.database.rows<{ block: number; waiting: number }>(
      `SELECT p.block::float8 AS block, (SELECT count(*) FROM ${waiting} w /* tenant: compared there */)::int AS waiting
       FROM event_shipping p WHERE p.is_whole`,
      values,
      tx,
    );
    return row === undefined || row.waiting > MOST_UNCOPIED ? null : row.block;
  }
}

/**
 * Returns a relation of the events of a project that are not replicated yet, with the columns `at` and `which`. It has
 * at most one row more than the limit, so that a long queue is not read completely.
 * @param project the SQL parameter of the project id
 */
export function waitingSql(project: string, most: number): string {
  return `(SELECT u.at, u.which FROM event_shipments s CROSS JOIN LATERAL unnest(s.timestamps, s.ids) AS u (at, which)
     WHERE s.project_id = ${project} LIMIT ${most + 1})`;
}

/**
 * Returns a relation of the events that are not replicated yet, with the alias `e`.
 * @param conditions on the rows `e`
 */
export function uncopiedSql(
  projectId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
  conditions: string,
  bind: Bind,
): string {
  const [project, begin, end] = [bind(projectId), bind(from), bind(to)];
  const waiting = waitingSql(project, MOST_UNCOPIED);
  // OFFSET 0 makes PostgreSQL look up each event by its key, because the planner cannot estimate how few events the
  // arrays name.
  return `(SELECT f.* FROM ${waiting} w CROSS JOIN LATERAL (
      SELECT e.* FROM events e
      WHERE e.project_id = ${project} AND e."timestamp" = w.at AND e.id = w.which AND ${conditions} OFFSET 0) f
    WHERE w.at >= ${begin} AND w.at < ${end}) e`;
}
