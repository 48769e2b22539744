import { Injectable } from '@nestjs/common';
import type { ProjectId, UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { emailKeyOf } from './email-key.js';
import { User } from './user.entity.js';

export interface NewUser {
  id: UserId;
  email: string;
  passwordHash: string | null;
  name: string | null;
}

/** Accounts. They belong to no tenant; callers pass the account's own id. */
@Injectable()
export class UsersRepository {
  constructor(private readonly database: Database) {}

  findById(id: UserId, db?: Db): Promise<User | null> {
    return this.database.repository(User, db).findOneBy({ id });
  }

  findByEmail(email: string, db?: Db): Promise<User | null> {
    return this.database
      .repository(User, db)
      .findOneBy({ /* tenant: whose address it is */ emailKey: emailKeyOf(email) });
  }

  /** False when the address already has an account. */
  async insert(user: NewUser, db?: Db): Promise<boolean> {
    const result = await this.database
      .repository(User, db)
      .createQueryBuilder()
      .insert()
      .values({ ...user, emailKey: emailKeyOf(user.email) })
      .orIgnore()
      .returning('id')
      .execute();
    return (result.raw as unknown[]).length === 1;
  }

  /**
   * As {@link insert}, by the same statement also where nothing is to be inserted: without a hash.
   * @returns false too when the address already has an account
   */
  async register({ id, email, passwordHash, name }: NewUser, tx: Db): Promise<boolean> {
    const rows = await this.database.rows(
      `INSERT INTO users (id, email, email_key, password_hash, name)
       SELECT $1::uuid, $2::text, $3::text, $4::text, $5::text WHERE $4::text IS NOT NULL
       ON CONFLICT DO NOTHING RETURNING id`,
      [id, email, emailKeyOf(email), passwordHash, name],
      tx,
    );
    return rows.length === 1;
  }

  /** The account of an address, its row held until the transaction ends. */
  findByEmailLocked(email: string, tx: Db): Promise<User | null> {
    return this.database.repository(User, tx).findOne({
      where: { /* tenant: whose address it is */ emailKey: emailKeyOf(email) },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /**
   * Hands an account whose address nobody had confirmed to the one who now has: what the registration
   * chose (password, name, spelling of the address) is gone, as are sessions, of which there should be none.
   */
  async takeOverUnverified(id: UserId, owner: { email: string; name: string | null }, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE users SET email = $2, name = $3, password_hash = NULL, email_verified_at = now()
       WHERE id = $1 AND email_verified_at IS NULL`,
      [id, owner.email, owner.name],
      tx,
    );
    await this.database.execute('DELETE FROM sessions WHERE user_id = $1', [id], tx);
  }

  /**
   * What was chosen for an account that nobody has confirmed counts no more; its owner chooses a password by a reset.
   * Where it is not disputed, or confirmed, nothing changes by the same statement.
   */
  async voidRegistration(id: UserId, isDisputed: boolean, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE users SET password_hash = NULL, name = NULL WHERE id = $1 AND $2::boolean AND email_verified_at IS NULL',
      [id, isDisputed],
      tx,
    );
  }

  async markVerified(id: UserId, db: Db): Promise<void> {
    await this.database.execute(
      'UPDATE users SET email_verified_at = coalesce(email_verified_at, now()) WHERE id = $1',
      [id],
      db,
    );
  }

  async replacePasswordHash(id: UserId, passwordHash: string, db?: Db): Promise<void> {
    await this.database.repository(User, db).update({ id }, { passwordHash });
  }

  /** Refused by the database for a project the person is no member of. */
  async selectProject(id: UserId, projectId: ProjectId, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id }, { selectedProjectId: projectId });
  }

  /** Exchanges a weaker hash of the same password. False: another has come into its place meanwhile. */
  async upgradePasswordHash(id: UserId, known: string, passwordHash: string): Promise<boolean> {
    const { affected } = await this.database.repository(User).update({ id, passwordHash: known }, { passwordHash });
    return affected === 1;
  }

  async rename(id: UserId, name: string | null, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id }, { name });
  }

  /** A verified address in place of the old one; violates uq_users_email_key when another account has it. */
  async changeEmail(id: UserId, email: string, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE users SET email = $2, email_key = $3, email_verified_at = now() WHERE id = $1',
      [id, email, emailKeyOf(email)],
      tx,
    );
  }

  /** With everything that cascades from it: sessions, tokens, memberships, security events. */
  async delete(id: UserId, tx: Db): Promise<void> {
    await this.database.repository(User, tx).delete({ id });
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
