import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { emailKeyOf } from './email-key.js';
import type { User } from './user.entity.js';
import { UsersReader } from './users.reader.js';

export interface NewUser {
  readonly id: UserId;
  readonly email: string;
  readonly name: string | null;
}

/** The account of an address. Its row is locked until the transaction ends. */
export interface RegisteredUser {
  readonly user: User;
  /** True when this registration created the account. False when the address already had an account. */
  readonly isNew: boolean;
}

/** Creates accounts, and decides who owns them until their address is verified. */
@Injectable()
export class RegistrationsWriter {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
  ) {}

  /**
   * Registers an account whose address is not verified yet. Every address takes the same statements.
   * @param passwordHash null when an account with the address was already found, so that none is created
   * @returns null when that account was deleted in the meantime
   */
  async register(
    { id, email, name, passwordHash }: NewUser & { readonly passwordHash: string | null },
    tx: Db,
  ): Promise<RegisteredUser | null> {
    const made = await this.database.rows(
      `INSERT INTO users (id, email, email_key, password_hash, name)
       SELECT $1::uuid, $2::text, $3::text, $4::text, $5::text WHERE $4::text IS NOT NULL
       ON CONFLICT DO NOTHING RETURNING id`,
      [id, email, emailKeyOf(email), passwordHash, name],
      tx,
    );
    return this.held(email, made.length === 1, tx);
  }

  /**
   * Registers an account without a password, whose address a sign-in provider has verified.
   * @returns null when the address had an account that was deleted in the meantime
   */
  async registerConfirmed({ id, email, name }: NewUser, tx: Db): Promise<RegisteredUser | null> {
    const made = await this.database.rows(
      `INSERT INTO users (id, email, email_key, name, email_verified_at) VALUES ($1, $2, $3, $4, now())
       ON CONFLICT DO NOTHING RETURNING id`,
      [id, email, emailKeyOf(email), name],
      tx,
    );
    return this.held(email, made.length === 1, tx);
  }

  /**
   * Removes the password and name of an account whose registration is disputed. The owner chooses a password by a
   * reset. When the registration is not disputed or the address is verified, the same statement changes nothing.
   */
  async voidRegistration(id: UserId, isDisputed: boolean, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE users SET password_hash = NULL, name = NULL WHERE id = $1 AND $2::boolean AND email_verified_at IS NULL',
      [id, isDisputed],
      tx,
    );
  }

  /**
   * Gives an unverified account to the person who has now verified the address. The password, name and spelling of the
   * address from the registration are replaced. Sessions are deleted too, although there should be none.
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

  private async held(email: string, isNew: boolean, tx: Db): Promise<RegisteredUser | null> {
    const user = await this.users.findByEmailLocked(email, tx);
    return user === null ? null : { user, isNew };
  }
}
