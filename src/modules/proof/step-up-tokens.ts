import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../platform/access/index.js';
import { randomToken, sha256 } from '../../platform/crypto/index.js';
import { Database, type Db } from '../../platform/database/database.js';
import { Upkeep } from '../../platform/upkeep/upkeep.js';

/** Life of a step-up token in seconds (DECISIONS 2). */
export const STEP_UP_SECONDS = 300;

/** Step-up tokens: bound to the session that earned them, usable for several changes while they live. */
@Injectable()
export class StepUpTokens extends Upkeep {
  constructor(private readonly database: Database) {
    super();
  }

  async issue(scope: UserScope, db?: Db): Promise<string> {
    const token = randomToken();
    await this.database.execute(
      `INSERT INTO step_up_tokens (token_hash, user_id, session_id, expires_at)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
      [sha256(token), scope.userId, scope.sessionId, STEP_UP_SECONDS],
      db,
    );
    return token;
  }

  async isGood(scope: UserScope, token: string): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM step_up_tokens WHERE token_hash = $1 AND user_id = $2 AND session_id = $3 AND expires_at > now()',
      [sha256(token), scope.userId, scope.sessionId],
    );
    return rows.length === 1;
  }

  async upkeep(): Promise<number> {
    return this.database.execute('DELETE FROM step_up_tokens WHERE expires_at < now()');
  }
}
