import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

const IDS_A_STATEMENT = 10_000;
/** Maximum number of remembered projects that no longer exist. Further ones are queried again each time. */
const MOST_REMEMBERED = 10_000;

/** Runs a query on a connection, inside its open transaction. */
type Ask = <Row>(sql: string, values: unknown[]) => Promise<Row[]>;

/**
 * Returns the state of each project. Projects that no longer exist are missing from the result. Use it on the
 * connection that also reads the rows of the projects: in one snapshot, rows and states are consistent.
 */
export async function statesOfProjects(
  ids: readonly string[],
  ask: Ask,
): Promise<ReadonlyMap<string, 'living' | 'deleted'>> {
  const states = new Map<string, 'living' | 'deleted'>();
  for (let next = 0; next < ids.length; next += IDS_A_STATEMENT) {
    const found = await ask<{ id: string; isDeleted: boolean }>(
      'SELECT id, deleted_at IS NOT NULL AS "isDeleted" FROM projects WHERE id = ANY ($1::uuid[])',
      [ids.slice(next, next + IDS_A_STATEMENT)],
    );
    for (const { id, isDeleted } of found) states.set(id, isDeleted ? 'deleted' : 'living');
  }
  return states;
}

/**
 * Separates rows of living projects from rows of projects that are being deleted or no longer exist. The latter rows
 * can remain after a restore or a repair of the database, and need no processing.
 */
@Injectable()
export class LivingProjectsReader {
  /** Projects that no longer exist. Their ids are never used again. */
  private readonly gone = new Set<ProjectId>();

  constructor(private readonly database: Database) {}

  /** Returns which of these projects are living. */
  async among(ids: readonly ProjectId[]): Promise<ReadonlySet<ProjectId>> {
    const states = await statesOfProjects([...new Set(ids)], (sql, values) => this.database.rows(sql, values));
    for (const id of ids) if (!states.has(id) && this.gone.size < MOST_REMEMBERED) this.gone.add(id);
    return new Set(ids.filter((id) => states.get(id) === 'living'));
  }

  /**
   * Returns rows of living projects only. If a read also returns rows of other projects, it is repeated without these
   * projects, because their rows would otherwise fill the limited result again and again.
   * @param read reads the first rows of all projects except the given ones
   */
  async rows<Row>(
    read: (besides: readonly ProjectId[]) => Promise<Row[]>,
    projectOf: (row: Row) => ProjectId,
  ): Promise<Row[]> {
    const besides = new Set([...(await this.deleted()), ...this.gone]);
    for (;;) {
      const rows = await read([...besides]);
      const living = await this.among(rows.map(projectOf));
      const others = rows.map(projectOf).filter((id) => !living.has(id));
      if (others.length === 0) return rows;
      for (const id of others) besides.add(id);
    }
  }

  /**
   * Returns the projects that are being deleted. There are only a few, because a project is gone once its rows are
   * removed.
   */
  private async deleted(): Promise<ProjectId[]> {
    const rows = await this.database.rows<{ id: ProjectId }>(
      'SELECT /* every tenant: what is deleted */ id FROM projects WHERE deleted_at IS NOT NULL',
    );
    return rows.map(({ id }) => id);
  }
}
