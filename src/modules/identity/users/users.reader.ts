import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { emailKeyOf } from './email-key.js';
import { User } from './user.entity.js';

/** Reads accounts by id and by email address. Accounts belong to no tenant. Callers pass the account's own id. */
@Injectable()
export class UsersReader {
  constructor(private readonly database: Database) {}

  findById(id: UserId, db?: Db): Promise<User | null> {
    return this.database.repository(User, db).findOneBy({ id });
  }

  /** Returns one page of all accounts for operators, newest first, and the number of accounts. */
  list({ limit, offset }: { readonly limit: number; readonly offset: number }): Promise<[User[], number]> {
    return this.database.repository(User).findAndCount({
      /* every tenant: the list of the operators */ order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
  }

  findByEmail(email: string, db?: Db): Promise<User | null> {
    return this.database
      .repository(User, db)
      .findOneBy({ /* tenant: whose address it is */ emailKey: emailKeyOf(email) });
  }

  /** Returns the account of an address and locks its row until the transaction ends. */
  findByEmailLocked(email: string, tx: Db): Promise<User | null> {
    return this.database.repository(User, tx).findOne({
      where: { /* tenant: whose address it is */ emailKey: emailKeyOf(email) },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Locks the account's row until the transaction ends, so that operations on one account run one after another. Rows
   * that refer to the account can still be written. Callers take this lock before locks on the account's other rows, so
   * that operations do not deadlock.
   * @throws NotAuthenticated when the account was deleted in the meantime
   */
  async lock(id: UserId, tx: Db): Promise<User> {
    const user = await this.database
      .repository(User, tx)
      .findOne({ where: { id }, lock: { mode: 'for_no_key_update' } });
    if (user === null) throw new NotAuthenticated();
    return user;
  }
}
