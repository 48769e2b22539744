import { Injectable } from '@nestjs/common';
import type { UserId, UserScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { SecurityEvent } from './security-event.entity.js';
import type { SecurityEventType } from './security-event-types.js';

/** Events that only the account's owner can have caused. Their IP address and user agent no longer count as new. */
const ACTS_OF_THE_OWNER: readonly SecurityEventType[] = [
  'signed_in',
  'signed_in_new_device',
  'email_verified',
  'password_reset',
];

@Injectable()
export class SecurityEventsReader {
  constructor(private readonly database: Database) {}

  /** Returns one page of the caller's security events, newest first, and the total number of them. */
  list(scope: UserScope, page: { limit: number; offset: number }): Promise<[SecurityEvent[], number]> {
    return this.database.repository(SecurityEvent).findAndCount({
      where: { userId: scope.userId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: page.limit,
      skip: page.offset,
    });
  }

  /** Returns how many events of this type happened within the last `seconds`. */
  async countWithin(userId: UserId, type: SecurityEventType, seconds: number, db?: Db): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM security_events
       WHERE user_id = $1 AND type = $2 AND created_at > now() - make_interval(secs => $3)`,
      [userId, type, seconds],
      db,
    );
    return row?.count ?? 0;
  }

  /** Returns the time of the newest sign-in with a password, or null when there was none. */
  async lastPasswordSignIn(userId: UserId, db?: Db): Promise<Date | null> {
    const [row] = await this.database.rows<{ at: Date | null }>(
      `SELECT max(created_at) AS at FROM security_events
       WHERE user_id = $1 AND type IN ('signed_in', 'signed_in_new_device') AND detail->>'method' = 'password'`,
      [userId],
      db,
    );
    return row?.at ?? null;
  }

  /** Returns whether the owner has acted with this combination of IP address and user agent before. */
  async knowsDevice(
    userId: UserId,
    client: { readonly ip: string | null; readonly userAgent: string | null },
    db?: Db,
  ): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT 1 FROM security_events WHERE user_id = $1 AND type = ANY($2)
         AND ip IS NOT DISTINCT FROM $3 AND user_agent IS NOT DISTINCT FROM $4 LIMIT 1`,
      [userId, ACTS_OF_THE_OWNER, client.ip, client.userAgent],
      db,
    );
    return rows.length > 0;
  }
}
