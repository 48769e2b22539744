import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../platform/access/index.js';
import { Database, type Db } from '../../platform/database/database.js';
import type { SignInMethod } from './session.entity.js';

/** What stands behind a session: whether it is alive, and how fresh its sign-in is, which refreshing does not renew. */
@Injectable()
export class RecentSignIns {
  constructor(private readonly database: Database) {}

  /** Read within an act whose account is locked: nothing can revoke the session unseen. */
  async isAlive(scope: UserScope, tx: Db): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > now()',
      [scope.sessionId, scope.userId],
      tx,
    );
    return rows.length === 1;
  }

  /** Was the caller's session opened within the last seconds, by the given method if one is named? */
  async has(scope: UserScope, seconds: number, method?: SignInMethod): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL
         AND created_at > now() - make_interval(secs => $3) AND method = coalesce($4, method)`,
      [scope.sessionId, scope.userId, seconds, method ?? null],
    );
    return rows.length === 1;
  }
}
