import { Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../platform/database/database.js';
import { OnAccountDeleted } from '../../identity/users/index.js';

/** Keys belong to their project and outlive whoever made them. */
@Injectable()
export class KeysOfDeletedAccounts extends OnAccountDeleted {
  constructor(private readonly database: Database) {
    super();
  }

  async accountDeleted(userId: string, tx: Db): Promise<void> {
    await this.database.execute('UPDATE api_keys SET created_by = NULL WHERE created_by = $1', [userId], tx);
  }
}
