import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { EventSource } from './event-source.entity.js';

@Injectable()
export class EventSourcesRepository {
  constructor(private readonly database: Database) {}

  countOf({ projectId }: ProjectScope, tx: Db): Promise<number> {
    return this.database.repository(EventSource, tx).countBy({ projectId });
  }

  async insert(
    { projectId }: ProjectScope,
    source: Pick<EventSource, 'id' | 'name' | 'type' | 'description' | 'isEnabled' | 'createdBy'>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(EventSource, tx).insert({ ...source, projectId });
  }

  async update(
    { projectId }: ProjectScope,
    id: string,
    change: Partial<Pick<EventSource, 'name' | 'type' | 'description' | 'isEnabled'>>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(EventSource, tx).update({ projectId, id }, change);
  }

  /** Locks the source, so that its first event is not ingested until the transaction ends. */
  async lock({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      'SELECT FROM event_sources WHERE project_id = $1 AND id = $2 FOR UPDATE',
      [projectId, id],
      tx,
    );
  }

  /** Removes the source with its keys. */
  async remove({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM event_sources WHERE project_id = $1 AND id = $2', [projectId, id], tx);
  }

  async hasIngested({ projectId }: ProjectScope, id: string, tx: Db): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM source_days WHERE project_id = $1 AND source_id = $2 LIMIT 1',
      [projectId, id],
      tx,
    );
    return rows.length > 0;
  }
}
