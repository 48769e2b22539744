import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/** Stores the hashes of an account's recovery codes: the active ones, and those of a pending setup. */
@Injectable()
export class RecoveryCodesRepository {
  constructor(private readonly database: Database) {}

  async insert(userId: UserId, hashes: readonly Buffer[], isActive: boolean, tx: Db): Promise<void> {
    await this.database.execute(
      'INSERT INTO recovery_codes (user_id, code_hash, is_active) SELECT $1, unnest($2::bytea[]), $3',
      [userId, hashes, isActive],
      tx,
    );
  }

  async activate(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute('UPDATE recovery_codes SET is_active = true WHERE user_id = $1', [userId], tx);
  }

  /** Uses up an unused, active code. @returns whether the code was valid */
  async use(userId: UserId, hash: Buffer, tx: Db): Promise<boolean> {
    const affected = await this.database.execute(
      `UPDATE recovery_codes SET used_at = now()
       WHERE user_id = $1 AND code_hash = $2 AND is_active AND used_at IS NULL`,
      [userId, hash],
      tx,
    );
    return affected === 1;
  }

  /** @returns the number of deleted codes */
  remove(userId: UserId, isActive: boolean, tx: Db): Promise<number> {
    return this.database.execute(
      'DELETE FROM recovery_codes WHERE user_id = $1 AND is_active = $2',
      [userId, isActive],
      tx,
    );
  }
}
