import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';

const IDS_A_STATEMENT = 10_000;

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

/** Projects that are being deleted. */
@Injectable()
export class DeletedProjectsReader {
  constructor(private readonly database: Database) {}

  /** All of them, which are few: they are gone once nothing of theirs is left. */
  async ids(): Promise<ProjectId[]> {
    const rows = await this.database.rows<{ id: ProjectId }>(
      'SELECT /* every tenant: what is deleted */ id FROM projects WHERE deleted_at IS NOT NULL',
    );
    return rows.map(({ id }) => id);
  }
}
