import { Injectable } from '@nestjs/common';
import type { OrganizationScope, ProjectScope } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';
import { AuditEvent } from './audit-event.entity.js';

export interface AuditPage {
  readonly items: AuditEvent[];
  readonly total: number;
}

/** A position in the order of all audit events. `at` is text, which keeps the microseconds that a Date would lose. */
export interface AuditPoint {
  readonly at: string;
  readonly id: string;
}

/** The time before which no further audit event can appear, and the open transaction that this time waits for. */
export interface Settled {
  readonly at: string;
  /** The process of the database that has the oldest open transaction. Null: there is none. */
  readonly pid: number | null;
  /** How long this transaction has been open. */
  readonly openSeconds: number;
}

export type FollowedAuditEvent = AuditEvent & Pick<AuditPoint, 'at'>;

const SELECT = `SELECT /* every tenant: what an operator follows */ id, actor_user_id AS "actorUserId",
    organization_id AS "organizationId", project_id AS "projectId", action, target_type AS "targetType",
    target_id AS "targetId", detail, request_id AS "requestId", created_at AS "createdAt", created_at::text AS at
  FROM audit_events`;

/** Reads audit events. */
@Injectable()
export class AuditReader {
  constructor(private readonly database: Database) {}

  /** Returns one page of a project's audit events, newest first, and the total number of them. */
  async ofProject(
    { projectId }: Pick<ProjectScope, 'projectId'>,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<AuditPage> {
    const [items, total] = await this.database.repository(AuditEvent).findAndCount({
      where: { projectId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
      skip: offset,
    });
    return { items, total };
  }

  /**
   * Returns the newest `limit` audit events of the whole service for operators, oldest first.
   * @param before only events that are older than this. Null: all
   */
  async newest(limit: number, before: string | null): Promise<FollowedAuditEvent[]> {
    const items = await this.database.rows<FollowedAuditEvent>(
      `${SELECT} WHERE $1::timestamptz IS NULL OR created_at < $1::timestamptz ORDER BY created_at DESC, id DESC LIMIT $2`,
      [before, limit],
    );
    return items.reverse();
  }

  /**
   * Returns the audit events of the whole service between two points, oldest first. A caller that reads from one result
   * of `settledUntil` up to a later one misses no event.
   */
  between(after: AuditPoint, until: string, limit: number): Promise<FollowedAuditEvent[]> {
    return this.database.rows<FollowedAuditEvent>(
      `${SELECT} WHERE (created_at, id) > ($1::timestamptz, $2::uuid) AND created_at < $3::timestamptz
       ORDER BY created_at, id LIMIT $4`,
      [after.at, after.id, until, limit],
    );
  }

  /**
   * Returns the time, with all its digits, before which no further audit event can appear: the start of the oldest open
   * transaction. An event has the time at which it is written, and appears at the commit. So an event that is older
   * than this time is visible to every later statement.
   */
  async settledUntil(): Promise<Settled> {
    const [row] = await this.database.rows<Settled>(
      `SELECT least(statement_timestamp(), min(xact_start))::text AS at, (array_agg(pid ORDER BY xact_start))[1] AS pid,
              coalesce(extract(epoch FROM statement_timestamp() - min(xact_start)), 0)::float8 AS "openSeconds"
       FROM pg_stat_activity
       WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
         AND xact_start IS NOT NULL`,
    );
    if (row === undefined) throw new Error('an aggregate came back without a row');
    return row;
  }

  /** Returns the newest `limit` audit events of an organization for one target type, newest first. */
  ofOrganization(
    { organizationId }: Pick<OrganizationScope, 'organizationId'>,
    { targetType, limit }: { readonly targetType: string; readonly limit: number },
  ): Promise<AuditEvent[]> {
    return this.database.repository(AuditEvent).find({
      where: { organizationId, targetType },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
    });
  }
}
