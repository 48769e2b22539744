import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { SavedView } from './saved-view.entity.js';

@Injectable()
export class SavedViewsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the saved views of the project, newest first. */
  list({ projectId }: ProjectScope): Promise<SavedView[]> {
    return this.database.repository(SavedView).find({ where: { projectId }, order: { createdAt: 'DESC', id: 'DESC' } });
  }

  find({ projectId }: ProjectScope, id: string, db?: Db): Promise<SavedView | null> {
    return this.database.repository(SavedView, db).findOneBy({ projectId, id });
  }

  countOf({ projectId }: ProjectScope, tx: Db): Promise<number> {
    return this.database.repository(SavedView, tx).countBy({ projectId });
  }

  async insert(
    { projectId }: ProjectScope,
    view: Pick<SavedView, 'id' | 'name' | 'filters' | 'createdBy'>,
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      'INSERT INTO saved_views (id, project_id, name, filters, created_by) VALUES ($1, $2, $3, $4, $5)',
      [view.id, projectId, view.name, JSON.stringify(view.filters), view.createdBy],
      tx,
    );
  }

  async update({ projectId }: ProjectScope, view: Pick<SavedView, 'id' | 'name' | 'filters'>, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE saved_views SET name = $3, filters = $4, updated_at = now() WHERE project_id = $1 AND id = $2',
      [projectId, view.id, view.name, JSON.stringify(view.filters)],
      tx,
    );
  }

  async remove({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM saved_views WHERE project_id = $1 AND id = $2', [projectId, id], tx);
  }
}
