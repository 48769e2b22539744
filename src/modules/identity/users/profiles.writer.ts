import { Injectable } from '@nestjs/common';
import type { ProjectId, UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { User } from './user.entity.js';

/** What people set of their account beside the credentials. */
@Injectable()
export class ProfilesWriter {
  constructor(private readonly database: Database) {}

  async rename(id: UserId, name: string | null, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id }, { name });
  }

  /** Refused by the database for a project the person is no member of. */
  async selectProject(id: UserId, projectId: ProjectId, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id }, { selectedProjectId: projectId });
  }
}
