import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { User } from './user.entity.js';

/** Deletes account rows. Only the account deletion uses this class. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  /** Deletes the account's row and everything that cascades from it: sessions, tokens, memberships, security events. */
  async delete(id: UserId, tx: Db): Promise<void> {
    await this.database.repository(User, tx).delete({ id });
  }
}
