import { Injectable } from '@nestjs/common';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Upkeep } from '../../../platform/upkeep/upkeep.js';
import type { SignInMethod } from '../../sessions/index.js';

/** Life of a challenge in seconds (DECISIONS 2). */
export const CHALLENGE_SECONDS = 300;
const ATTEMPTS = 5;

export interface OpenChallenge {
  readonly userId: string;
  readonly method: SignInMethod;
  readonly secondsLeft: number;
}

/**
 * Sign-ins between the first and the second factor. Their tokens are of a kind of their own: a row here is all that
 * knows them, so no other route takes one for anything.
 */
@Injectable()
export class SignInChallenges extends Upkeep {
  constructor(private readonly database: Database) {
    super();
  }

  async open(userId: string, method: SignInMethod, tx: Db): Promise<string> {
    const token = randomToken();
    await this.database.execute(
      `INSERT INTO sign_in_challenges (token_hash, user_id, method, attempts_left, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [sha256(token), userId, method, ATTEMPTS, CHALLENGE_SECONDS],
      tx,
    );
    return token;
  }

  async find(token: string, db?: Db): Promise<OpenChallenge | null> {
    const rows = await this.database.rows<OpenChallenge>(
      `SELECT user_id AS "userId", method, ceil(extract(epoch FROM expires_at - now()))::int AS "secondsLeft"
       FROM sign_in_challenges WHERE token_hash = $1 AND expires_at > now() AND attempts_left > 0`,
      [sha256(token)],
      db,
    );
    return rows[0] ?? null;
  }

  async countWrongAnswer(token: string, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE sign_in_challenges SET attempts_left = attempts_left - 1 WHERE token_hash = $1',
      [sha256(token)],
      tx,
    );
  }

  async close(token: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM sign_in_challenges WHERE token_hash = $1', [sha256(token)], tx);
  }

  async upkeep(): Promise<number> {
    return this.database.execute('DELETE FROM sign_in_challenges WHERE expires_at < now() OR attempts_left <= 0');
  }
}
