import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { emailKeyOf } from './email-key.js';
import { User } from './user.entity.js';

/** What an account signs in with: its address and its password. Whoever writes holds the account's row. */
@Injectable()
export class CredentialsWriter {
  constructor(private readonly database: Database) {}

  async replacePasswordHash(id: UserId, passwordHash: string, tx: Db): Promise<void> {
    await this.database.repository(User, tx).update({ id }, { passwordHash });
  }

  /**
   * Exchanges a weaker hash of the same password; without the row, since it asks for the hash itself.
   * @returns false: another has come into its place meanwhile
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

  /** A verified address in place of the old one; violates uq_users_email_key when another account has it. */
  async changeEmail(id: UserId, email: string, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE users SET email = $2, email_key = $3, email_verified_at = now() WHERE id = $1',
      [id, email, emailKeyOf(email)],
      tx,
    );
  }
}
