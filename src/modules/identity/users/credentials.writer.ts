import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { emailKeyOf } from './email-key.js';
import { User } from './user.entity.js';

/**
 * Writes an account's credentials: its address and its password. Callers lock the account's row, unless a method says
 * otherwise.
 */
@Injectable()
export class CredentialsWriter {
  constructor(private readonly database: Database) {}

  async replacePasswordHash(id: UserId, passwordHash: string, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id }, { passwordHash });
  }

  /**
   * Replaces a weaker hash of the same password. No row lock is needed, since the statement compares the stored hash.
   * @returns false when the stored hash has changed in the meantime
   */
  async upgradePasswordHash(id: UserId, known: string, passwordHash: string): Promise<boolean> {
    const { affected } = await this.database.repository(User).update({ id, passwordHash: known }, { passwordHash });
    return affected === 1;
  }

  async markVerified(id: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE users SET email_verified_at = coalesce(email_verified_at, now()) WHERE id = $1',
      [id],
      tx,
    );
  }

  /**
   * Keeps the account from signing in, or lets it sign in again. Callers lock the account's row and revoke its
   * sessions.
   */
  async setDisabled(id: UserId, isDisabled: boolean, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE users SET disabled_at = CASE WHEN $2 THEN coalesce(disabled_at, now()) END WHERE id = $1',
      [id, isDisabled],
      tx,
    );
  }

  /** Replaces the address with a verified one. Violates uq_users_email_key when another account has the address. */
  async changeEmail(id: UserId, email: string, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE users SET email = $2, email_key = $3, email_verified_at = now() WHERE id = $1',
      [id, email, emailKeyOf(email)],
      tx,
    );
  }
}
