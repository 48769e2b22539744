import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../platform/access/index.js';
import { randomToken, sha256 } from '../../platform/crypto/index.js';
import { Database, type Db } from '../../platform/database/database.js';
import { Upkeep } from '../../platform/upkeep/upkeep.js';

/** Life of a step-up token in seconds (DECISIONS 2). */
export const STEP_UP_SECONDS = 300;

/** `both_factors`: it stands for the second factor too, as a passkey does that verified its user. */
export type ProofStrength = 'one_factor' | 'both_factors';

/** Step-up tokens: bound to the session that earned them, usable for several changes while they live. */
@Injectable()
export class StepUpTokens extends Upkeep {
  constructor(private readonly database: Database) {
    super();
  }

  async issue(scope: UserScope, strength: ProofStrength, db?: Db): Promise<string> {
    const token = randomToken();
    await this.database.execute(
      `INSERT INTO step_up_tokens (token_hash, user_id, session_id, proves_both_factors, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
      [sha256(token), scope.userId, scope.sessionId, strength === 'both_factors', STEP_UP_SECONDS],
      db,
    );
    return token;
  }

  /** Null for a token that is unknown, expired or another session's. */
  async strengthOf(scope: UserScope, token: string): Promise<ProofStrength | null> {
    const rows = await this.database.rows<{ proves_both_factors: boolean }>(
      `SELECT proves_both_factors FROM step_up_tokens
       WHERE token_hash = $1 AND user_id = $2 AND session_id = $3 AND expires_at > now()`,
      [sha256(token), scope.userId, scope.sessionId],
    );
    if (rows[0] === undefined) return null;
    return rows[0].proves_both_factors ? 'both_factors' : 'one_factor';
  }

  /** After a change of what they were earned with. */
  async revokeAllOf(userId: string, tx: Db): Promise<void> {
    await this.database.execute('DELETE FROM step_up_tokens WHERE user_id = $1', [userId], tx);
  }

  async upkeep(): Promise<number> {
    return this.database.execute('DELETE FROM step_up_tokens WHERE expires_at < now()');
  }
}
