import { Injectable } from '@nestjs/common';
import type { UserId } from '../../../access/index.js';
import { randomToken, sha256 } from '../../../../platform/crypto/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { MaintenanceTask } from '../../../../platform/maintenance/maintenance-task.js';
import type { SignInMethod } from '../../sessions/index.js';
import type { User } from '../../users/index.js';

/** Lifetime of a challenge in seconds. */
export const CHALLENGE_SECONDS = 300;
const ATTEMPTS = 5;

/** The first factor, which was valid. */
export interface FirstFactor {
  readonly method: SignInMethod;
  /**
   * The stored hash that the password was compared with. A password that has changed since no longer counts as first
   * factor.
   */
  readonly comparedHash?: string;
}

export interface OpenChallenge {
  readonly userId: UserId;
  readonly method: SignInMethod;
  /** Null when the first factor was not a password. */
  readonly comparedHashDigest: Buffer | null;
  readonly secondsLeft: number;
}

/**
 * Stores sign-ins that wait for the second factor. A challenge token is valid only through its row here, so no other
 * route accepts one.
 */
@Injectable()
export class SignInChallengesRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  async open(userId: UserId, { method, comparedHash }: FirstFactor, tx: Db): Promise<string> {
    const token = randomToken();
    await this.database.execute(
      `INSERT INTO sign_in_challenges
         (token_hash, user_id, method, compared_hash_digest, attempts_left, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))`,
      [
        sha256(token),
        userId,
        method,
        comparedHash === undefined ? null : sha256(comparedHash),
        ATTEMPTS,
        CHALLENGE_SECONDS,
      ],
      tx,
    );
    return token;
  }

  async find(token: string, db?: Db): Promise<OpenChallenge | null> {
    const rows = await this.database.rows<OpenChallenge>(
      `SELECT user_id AS "userId", method, compared_hash_digest AS "comparedHashDigest",
              ceil(extract(epoch FROM expires_at - now()))::int AS "secondsLeft"
       FROM sign_in_challenges 
       WHERE token_hash = $1 /* tenant: whoever shows the token */ AND expires_at > now() AND attempts_left > 0`,
      [sha256(token)],
      db,
    );
    return rows[0] ?? null;
  }

  async countWrongAnswer(token: string, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE sign_in_challenges SET attempts_left = attempts_left - 1 WHERE token_hash = $1 /* tenant: whoever shows it */',
      [sha256(token)],
      tx,
    );
  }

  async close(token: string, tx: Db): Promise<void> {
    await this.database.execute(
      'DELETE FROM sign_in_challenges WHERE token_hash = $1 /* tenant: whoever shows the token */',
      [sha256(token)],
      tx,
    );
  }

  /** Ends every half-finished sign-in of an account. */
  async closeAllOf(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM sign_in_challenges WHERE user_id = $1', [userId], tx);
  }

  async maintain(): Promise<number> {
    return this.database.execute(
      'DELETE /* every tenant: what has expired */ FROM sign_in_challenges WHERE expires_at < now() OR attempts_left <= 0',
    );
  }
}

/**
 * Returns whether the first factor still opens the account: the account is not disabled, and a password that was the
 * first factor is still the account's.
 */
export function stillHolds(
  { comparedHashDigest: digest }: OpenChallenge,
  { disabledAt, passwordHash }: Pick<User, 'disabledAt' | 'passwordHash'>,
): boolean {
  if (disabledAt !== null) return false;
  return digest === null || (passwordHash !== null && sha256(passwordHash).equals(digest));
}
