import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { OnAccountDeleted } from '../../identity/users/index.js';

/** Projects go to the owner of their organization, who cannot be the one whose account is deleted. */
@Injectable()
export class ProjectsOfDeletedAccounts extends OnAccountDeleted {
  constructor(private readonly database: Database) {
    super();
  }

  async accountDeleted(userId: string, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE projects p SET owner_id = o.owner_id FROM organizations o
       WHERE o.id = p.organization_id AND p.owner_id = $1`,
      [userId],
      tx,
    );
  }
}
