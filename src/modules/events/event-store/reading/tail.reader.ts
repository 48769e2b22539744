import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';

/**
 * The tail is read by the keys of its events. With more events than this in the tail, PostgreSQL answers alone.
 */
export const MAX_TAIL_EVENTS = 100_000;

/** Reads the watermark, which is the last replicated block, and selects the tail: the events after it. */
@Injectable()
export class TailReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns the last replicated block. The given snapshot must also be used to read the events after it.
   * @returns null when the replica is incomplete, or too many events of the project are not replicated yet
   */
  async block({ projectId }: Pick<ProjectScope, 'projectId'>, tx: Db): Promise<number | null> {
    const { bind, values } = new Parameters();
    const keys = tailKeysSql(bind(projectId), MAX_TAIL_EVENTS);
    const [row] = await this.database.rows<{ block: number; events: number }>(
      `SELECT p.block::float8 AS block, (SELECT count(*) FROM ${keys} w /* tenant: compared there */)::int AS events
       FROM event_shipping p WHERE p.is_whole`,
      values,
      tx,
    );
    return row === undefined || row.events > MAX_TAIL_EVENTS ? null : row.block;
  }
}

/**
 * Returns a relation of the events of a project that are not replicated yet, with the columns `at` and `which`. It has
 * at most one row more than the limit, so that a long queue is not read completely.
 * @param project the SQL parameter of the project id
 */
export function tailKeysSql(project: string, most: number): string {
  return `(SELECT u.at, u.which FROM event_shipments s CROSS JOIN LATERAL unnest(s.timestamps, s.ids) AS u (at, which)
     WHERE s.project_id = ${project} LIMIT ${most + 1})`;
}

/**
 * Returns a relation of the events that are not replicated yet, with the alias `e`.
 * @param conditions on the rows `e`
 */
export function tailSql(
  projectId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
  conditions: string,
  bind: Bind,
): string {
  const [project, begin, end] = [bind(projectId), bind(from), bind(to)];
  const keys = tailKeysSql(project, MAX_TAIL_EVENTS);
  // OFFSET 0 makes PostgreSQL look up each event by its key, because the planner cannot estimate how few events the
  // arrays name.
  return `(SELECT f.* FROM ${keys} w CROSS JOIN LATERAL (
      SELECT e.* FROM events e
      WHERE e.project_id = ${project} AND e."timestamp" = w.at AND e.id = w.which AND ${conditions} OFFSET 0) f
    WHERE w.at >= ${begin} AND w.at < ${end}) e`;
}
