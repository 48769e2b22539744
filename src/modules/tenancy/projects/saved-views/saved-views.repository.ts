import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import type { SavedViewKind } from '../../search-sources/index.js';
import { SavedView } from './saved-view.entity.js';

@Injectable()
export class SavedViewsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the saved views of the project, newest first. With `kind`, returns only views of this kind. */
  list({ projectId }: ProjectScope, kind: SavedViewKind | undefined): Promise<SavedView[]> {
    return this.database.repository(SavedView).find({
      where: { projectId, ...(kind !== undefined && { kind }) },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }

  find({ projectId }: ProjectScope, id: string, db?: Db): Promise<SavedView | null> {
    return this.database.repository(SavedView, db).findOneBy({ projectId, id });
  }

  countOf({ projectId }: ProjectScope, tx: Db): Promise<number> {
    return this.database.repository(SavedView, tx).countBy({ projectId });
  }

  /**
   * Returns the number of bytes of all filters, as text in the database. A number such as 1e300 takes 301 bytes,
   * because the database writes all of its digits.
   */
  async bytesOf({ projectId }: ProjectScope, tx: Db): Promise<number> {
    const [row] = await this.database.rows<{ bytes: number }>(
      `SELECT coalesce(sum(octet_length(filters::text)), 0)::float8 AS bytes FROM saved_views WHERE project_id = $1`,
      [projectId],
      tx,
    );
    return row?.bytes ?? 0;
  }

  async insert(
    { projectId }: ProjectScope,
    view: Pick<SavedView, 'id' | 'name' | 'kind' | 'filters' | 'createdBy'>,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      'INSERT INTO saved_views (id, project_id, name, kind, filters, created_by) VALUES ($1, $2, $3, $4, $5, $6)',
      [view.id, projectId, view.name, view.kind, JSON.stringify(view.filters), view.createdBy],
      tx,
    );
  }

  /** Updates a view. `updated_at` increases by at least a millisecond, so that clients can notice every update. */
  async update({ projectId }: ProjectScope, view: Pick<SavedView, 'id' | 'name' | 'filters'>, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE saved_views SET name = $3, filters = $4,
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
       WHERE project_id = $1 AND id = $2`,
      [projectId, view.id, view.name, JSON.stringify(view.filters)],
      tx,
    );
  }

  async remove({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM saved_views WHERE project_id = $1 AND id = $2', [projectId, id], tx);
  }
}
