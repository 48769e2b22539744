import { Injectable } from '@nestjs/common';
import type { ProjectScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { SourceHook } from './source-hook.entity.js';

export type StoredVerification = Pick<SourceHook, 'scheme' | 'secret' | 'header' | 'encoding' | 'prefix'>;

@Injectable()
export class SourceHooksRepository {
  constructor(private readonly database: Database) {}

  async insert({ projectId }: ProjectScope, hook: Omit<SourceHook, 'projectId'>, tx: Db): Promise<void> {
    await this.database.repository(SourceHook, tx).insert({ ...hook, projectId });
  }

  async update(
    { projectId }: ProjectScope,
    id: string,
    change: Partial<StoredVerification & Pick<SourceHook, 'address'>>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(SourceHook, tx).update({ projectId, id }, change);
  }

  async remove({ projectId }: ProjectScope, id: string, tx: Db): Promise<void> {
    await this.database.repository(SourceHook, tx).delete({ projectId, id });
  }
}
