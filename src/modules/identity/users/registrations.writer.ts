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

/** The account of an address, its row held until the transaction ends. */
export interface RegisteredUser {
  readonly user: User;
  /** Made by this registration. False: the address had its account before. */
  readonly isNew: boolean;
}

/** How accounts begin, and whose they are before their address is confirmed. */
@Injectable()
export class RegistrationsWriter {
  constructor(
    private readonly database: Database,
    private readonly users: UsersReader,
  ) {}

  /**
   * An account that waits for the confirmation of its address. By the same statements whatever the address is.
   * @param passwordHash null: the address was seen to have an account, and none is to be made
   * @returns null when that account was deleted meanwhile
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
   * An account whose address somebody else has confirmed; it has no password.
   * @returns null when the account that the address had was deleted meanwhile
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

  private async held(email: string, isNew: boolean, tx: Db): Promise<RegisteredUser | null> {
    const user = await this.users.findByEmailLocked(email, tx);
    return user === null ? null : { user, isNew };
  }
}
