import { Injectable } from '@nestjs/common';
import type { ProjectId, UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { User } from './user.entity.js';

/** Writes the account fields that users set themselves, except the credentials. */
@Injectable()
export class ProfilesWriter {
  constructor(private readonly database: Database) {}

  async rename(id: UserId, name: string | null, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id }, { name });
  }

  /** Stores the selected project. The database refuses a project that the user is not a member of. */
  async selectProject(id: UserId, projectId: ProjectId, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id }, { selectedProjectId: projectId });
  }
}
