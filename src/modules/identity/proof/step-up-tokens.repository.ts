import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import type { ProofMethod } from './step-up-token.entity.js';

/** Reads which factors a step-up token proves. */
@Injectable()
export class StepUpTokensRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  /**
   * Returns the factors that a token proves. Returns an empty list for a token that is unknown, expired or of another
   * session.
   */
  async methodsOf(scope: UserScope, token: string, db?: Db): Promise<readonly ProofMethod[]> {
    const [row] = await this.database.rows<{ methods: ProofMethod[] }>(
      `SELECT methods FROM step_up_tokens
       WHERE token_hash = $1 AND user_id = $2 AND session_id = $3 AND expires_at > now()`,
      [sha256(token), scope.userId, scope.sessionId],
      db,
    );
    return row?.methods ?? [];
  }

  async maintain(): Promise<number> {
    return this.database.execute(
      'DELETE /* every tenant: what has expired */ FROM step_up_tokens WHERE expires_at < now()',
    );
  }
}
