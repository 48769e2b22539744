import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../access/index.js';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { ProofMethod } from './step-up-token.entity.js';

/** Lifetime of a step-up token in seconds. */
export const STEP_UP_SECONDS = 300;

/**
 * Issues and revokes step-up tokens. A token is bound to the session that earned it and can be used for several changes
 * until it expires. Each token stores which factors it proves. Two tokens are never combined, since a request carries
 * only one.
 */
@Injectable()
export class StepUpTokensWriter {
  constructor(private readonly database: Database) {}

  async issue(scope: UserScope, methods: readonly ProofMethod[], db?: Db): Promise<string> {
    const token = randomToken();
    await this.database.execute(
      `INSERT INTO step_up_tokens (token_hash, user_id, session_id, methods, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [sha256(token), scope.userId, scope.sessionId, methods, STEP_UP_SECONDS],
      db,
    );
    return token;
  }

  /** Revokes every step-up token of the account, after a password change. */
  async revokeAllOf(userId: UserId, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM step_up_tokens WHERE user_id = $1', [userId], tx);
  }

  /** Revokes the step-up tokens that prove a removed factor, even when they also prove other factors. */
  async revokeEarnedBy(userId: UserId, method: ProofMethod, tx: Db): Promise<void> {
    await this.database.execute(
      'DELETE FROM step_up_tokens WHERE user_id = $1 AND $2 = ANY (methods)',
      [userId, method],
      tx,
    );
  }
}
