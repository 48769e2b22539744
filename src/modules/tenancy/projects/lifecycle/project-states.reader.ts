import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

const IDS_A_STATEMENT = 10_000;
/** Of projects that are gone; more are asked about again. */
const MOST_REMEMBERED = 10_000;

/** Asks over a connection, in the transaction that is open there. */
type Ask = <Row>(sql: string, values: unknown[]) => Promise<Row[]>;

/**
 * Which of these projects there are, and whether they are being deleted; those that are gone are missing. For whoever has rows by
 * project and a connection of its own: in one snapshot both are of one moment.
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
 * Tells rows by project of those that live. Others are being deleted, or are gone: what is left of such a one after a restore or a
 * repair has nobody to be done for.
 */
@Injectable()
export class LivingProjectsReader {
  /** Projects that are gone, of which none comes back. */
  private readonly gone = new Set<ProjectId>();

  constructor(private readonly database: Database) {}

  /** Which of these live. */
  async among(ids: readonly ProjectId[]): Promise<ReadonlySet<ProjectId>> {
    const states = await statesOfProjects([...new Set(ids)], (sql, values) => this.database.rows(sql, values));
    for (const id of ids) if (!states.has(id) && this.gone.size < MOST_REMEMBERED) this.gone.add(id);
    return new Set(ids.filter((id) => states.get(id) === 'living'));
  }

  /**
   * Rows of living projects, as many as one reading gives: where it gives others, it is repeated without these projects, which
   * would have the places of those behind them for ever.
   * @param read the first rows of all projects but these
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

  /** All that are being deleted, which are few: they are gone once nothing of theirs is left. */
  private async deleted(): Promise<ProjectId[]> {
    const rows = await this.database.rows<{ id: ProjectId }>(
      'SELECT /* every tenant: what is deleted */ id FROM projects WHERE deleted_at IS NOT NULL',
    );
    return rows.map(({ id }) => id);
  }
}
