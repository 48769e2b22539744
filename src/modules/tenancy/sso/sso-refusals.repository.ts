import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import type { SecurityEventType } from '../../identity/security-events/index.js';
import type { Client } from '../../identity/sessions/index.js';

export interface SsoRefusal {
  readonly at: Date;
  readonly reason: string;
  /** The client address. Null when it is unknown. */
  readonly ip: string | null;
}

const TYPE: SecurityEventType = 'sso_refused';
/** Maximum number of refusals in an answer. */
const MOST_SHOWN = 50;
/** Maximum number of refusals of one provider that are stored per hour, because anybody can cause refusals. */
const MOST_AN_HOUR = 200;

/** Stores refused sign-ins as security events without an account, for 30 days. */
@Injectable()
export class SsoRefusalsRepository extends MaintenanceTask {
  constructor(private readonly database: Database) {
    super();
  }

  /** @param provider the id of a connection, or the name of a configured provider */
  async record(provider: string, reason: string, { ip, userAgent }: Client): Promise<void> {
    await this.database.execute(
      `INSERT INTO security_events (id, type, ip, user_agent, detail)
       SELECT $1, $2, $3, $4, jsonb_build_object('provider', $5::text, 'reason', $6::text)
       WHERE (SELECT count(*) FROM (
         SELECT FROM security_events WHERE type = 'sso_refused' AND detail->>'provider' = $5
           AND created_at > now() - interval '1 hour' /* tenant: of the provider */ LIMIT ${MOST_AN_HOUR}
       ) newest) < ${MOST_AN_HOUR}`,
      [newId(), TYPE, ip, userAgent, provider, reason],
    );
  }

  /** Returns the newest refusals of a connection, or null when the organization has no such connection. */
  async newest(
    { organizationId }: Pick<OrganizationScope, 'organizationId'>,
    connectionId: string,
  ): Promise<SsoRefusal[] | null> {
    const known = await this.database.rows('SELECT FROM sso_connections WHERE organization_id = $1 AND id = $2', [
      organizationId,
      connectionId,
    ]);
    if (known.length === 0) return null;
    return this.database.rows<SsoRefusal>(
      `SELECT created_at AS at, detail->>'reason' AS reason, ip FROM security_events
       WHERE type = 'sso_refused' AND detail->>'provider' = $1 /* tenant: of a connection of the caller */
       ORDER BY created_at DESC, id DESC LIMIT ${MOST_SHOWN}`,
      [connectionId],
    );
  }

  maintain(): Promise<number> {
    return this.database.execute(
      `DELETE /* every tenant: old refusals */ FROM security_events
       WHERE type = 'sso_refused' AND created_at < now() - interval '30 days'`,
    );
  }
}
