import { Injectable } from '@nestjs/common';
import type { UserScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import type { SignInMethod } from './session.entity.js';

/** Reports how recently the sign-in behind a session took place. Refreshing the session does not renew that time. */
@Injectable()
export class RecentSignInsReader {
  constructor(private readonly database: Database) {}

  /**
   * Returns whether the caller's session was opened within the last `seconds` by the given method and is not revoked.
   */
  async has(scope: UserScope, seconds: number, method: SignInMethod): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL
         AND created_at > now() - make_interval(secs => $3) AND method = $4`,
      [scope.sessionId, scope.userId, seconds, method],
    );
    return rows.length === 1;
  }
}
