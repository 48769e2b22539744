import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { emailKeyOf } from './email-key.js';
import { User } from './user.entity.js';

/** Accounts, by id and by address. They belong to no tenant; callers pass the account's own id. */
@Injectable()
export class UsersReader {
  constructor(private readonly database: Database) {}

  findById(id: UserId, db?: Db): Promise<User | null> {
    return this.database.repository(User, db).findOneBy({ id });
  }

  findByEmail(email: string, db?: Db): Promise<User | null> {
    return this.database
      .repository(User, db)
      .findOneBy({ /* tenant: whose address it is */ emailKey: emailKeyOf(email) });
  }

  /** The account of an address, its row held until the transaction ends. */
  findByEmailLocked(email: string, tx: Db): Promise<User | null> {
    return this.database.repository(User, tx).findOne({
      where: { /* tenant: whose address it is */ emailKey: emailKeyOf(email) },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Holds the account's row until the transaction ends, so that its acts queue up behind each other; rows that
   * refer to it may still be written. Taken before the account's other rows, so that acts never wait in a circle.
   * @throws NotAuthenticated when the account was deleted meanwhile
   */
  async lock(id: UserId, tx: Db): Promise<User> {
    const user = await this.database
      .repository(User, tx)
      .findOne({ where: { id }, lock: { mode: 'for_no_key_update' } });
    if (user === null) throw new NotAuthenticated();
    return user;
  }
}
