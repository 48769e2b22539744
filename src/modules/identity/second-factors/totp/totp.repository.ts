import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

export interface StoredTotp {
  readonly id: string;
  readonly secret: string;
  /** Null until a code is accepted. */
  readonly lastUsedStep: number | null;
  readonly confirmed: boolean;
}

/** Stores the authenticator app of an account. Callers that write lock the account's row. */
@Injectable()
export class TotpRepository {
  constructor(private readonly database: Database) {}

  async find(userId: UserId, db?: Db): Promise<StoredTotp | null> {
    const rows = await this.database.rows<StoredTotp>(
      `SELECT id, secret, last_used_step::float8 AS "lastUsedStep", confirmed_at IS NOT NULL AS confirmed
       FROM totp_factors WHERE user_id = $1`,
      [userId],
      db,
    );
    return rows[0] ?? null;
  }

  /** Stores an app in place of an earlier one. */
  async replace(userId: UserId, totp: { id: string; secret: string }, tx: Db): Promise<void> {
    await this.remove(userId, tx);
    await this.database.execute(
      'INSERT INTO totp_factors (id, user_id, secret) VALUES ($1, $2, $3)',
      [totp.id, userId, totp.secret],
      tx,
    );
  }

  /**
   * Uses up the codes of a step and of earlier steps.
   * @returns false when a code of this step or a later one was already accepted
   */
  async spend(userId: UserId, id: string, step: number, tx: Db): Promise<boolean> {
    const affected = await this.database.execute(
      `UPDATE totp_factors SET last_used_step = $3, confirmed_at = coalesce(confirmed_at, now())
       WHERE user_id = $1 AND id = $2 AND (last_used_step IS NULL OR last_used_step < $3)`,
      [userId, id, step],
      tx,
    );
    return affected === 1;
  }

  async removePending(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM totp_factors WHERE user_id = $1 AND confirmed_at IS NULL', [userId], tx);
  }

  /** Returns when the app was confirmed, or null when no app is confirmed. */
  async confirmedAt(userId: UserId, db?: Db): Promise<Date | null> {
    const [row] = await this.database.rows<{ confirmed_at: Date | null }>(
      'SELECT confirmed_at FROM totp_factors WHERE user_id = $1',
      [userId],
      db,
    );
    return row?.confirmed_at ?? null;
  }

  async remove(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM totp_factors WHERE user_id = $1', [userId], tx);
  }
}
