import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { type Bind, Parameters } from '../../../../platform/database/parameters.js';

/** So many events of a project are looked up one by one; where more are not copied yet, PostgreSQL answers alone. */
export const MOST_UNCOPIED = 100_000;

/** Tells where the copy ends, and which events of a project are behind that. */
@Injectable()
export class UncopiedEventsReader {
  constructor(private readonly database: Database) {}

  /**
   * The last block that was copied, in a snapshot that sees the events behind it, too.
   * @returns null where the copy is not whole, or too many events of the project are behind it
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
 * The events of a project that are not copied, as a relation of their places `at` and `which`: one more at most than are looked
 * up, so that a long backlog is not gone through for the few that fit.
 * @param project the place of its id among the parameters
 */
export function waitingSql(project: string, most: number): string {
  return `(SELECT u.at, u.which FROM event_shipments s CROSS JOIN LATERAL unnest(s.timestamps, s.ids) AS u (at, which)
     WHERE s.project_id = ${project} LIMIT ${most + 1})`;
}

/**
 * The events themselves, for a FROM that calls them `e`.
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
  // Each is looked up by its key, since OFFSET keeps the relations apart: of arrays the planner cannot know how few events
  // they name.
  return `(SELECT f.* FROM ${waiting} w CROSS JOIN LATERAL (
      SELECT e.* FROM events e
      WHERE e.project_id = ${project} AND e."timestamp" = w.at AND e.id = w.which AND ${conditions} OFFSET 0) f
    WHERE w.at >= ${begin} AND w.at < ${end}) e`;
}
