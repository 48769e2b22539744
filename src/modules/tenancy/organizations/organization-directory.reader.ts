import { Injectable } from '@nestjs/common';
import type { OrganizationId, Role, UserId } from '../../access/index.js';
import { Database } from '../../../platform/database/database.js';

/** An organization as the operators of the service see it. */
export interface ListedByOperators {
  readonly id: OrganizationId;
  readonly slug: string;
  readonly name: string;
  readonly plan: string;
  readonly billingStatus: string;
  /** Null: the limit of the plan applies. */
  readonly eventsPerMonthLimit: number | null;
  readonly ownerId: UserId;
  readonly ownerEmail: string;
  readonly members: number;
  readonly projects: number;
  readonly createdAt: Date;
}

/** A membership of one person. */
export interface OrganizationOfUser {
  readonly id: OrganizationId;
  readonly slug: string;
  readonly name: string;
  readonly role: Role;
}

const SELECT = `SELECT /* every tenant: the list of the operators */ o.id, o.slug, o.name, o.plan,
    o.billing_status AS "billingStatus", o.events_per_month_limit::float8 AS "eventsPerMonthLimit",
    o.owner_id AS "ownerId", u.email AS "ownerEmail", o.created_at AS "createdAt",
    (SELECT count(*)::int FROM organization_members m WHERE m.organization_id = o.id) AS members,
    (SELECT count(*)::int FROM projects p WHERE p.organization_id = o.id AND p.deleted_at IS NULL) AS projects
  FROM organizations o JOIN users u ON u.id = o.owner_id`;

/**
 * Reads the organizations of the whole service, for its operators. Deleted organizations are left out, because they
 * have no owner.
 */
@Injectable()
export class OrganizationDirectoryReader {
  constructor(private readonly database: Database) {}

  /** Returns one page, newest first. */
  list({ limit, offset }: { readonly limit: number; readonly offset: number }): Promise<ListedByOperators[]> {
    return this.database.rows<ListedByOperators>(`${SELECT} ORDER BY o.created_at DESC, o.id DESC LIMIT $1 OFFSET $2`, [
      limit,
      offset,
    ]);
  }

  async count(): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(
      'SELECT /* every tenant: their number */ count(*)::int AS count FROM organizations WHERE deleted_at IS NULL',
    );
    return row?.count ?? 0;
  }

  /** Finds an organization by its id or slug. Slugs are compared without regard to case. */
  async find(idOrSlug: string): Promise<ListedByOperators | null> {
    const [row] = await this.database.rows<ListedByOperators>(
      `${SELECT} WHERE o.id::text = lower($1) OR lower(o.slug COLLATE "C") = lower($1 COLLATE "C")
       ORDER BY o.id::text = lower($1) DESC LIMIT 1`,
      [idOrSlug],
    );
    return row ?? null;
  }

  ofUser(userId: UserId): Promise<OrganizationOfUser[]> {
    return this.database.rows<OrganizationOfUser>(
      `SELECT o.id, o.slug, o.name, m.role FROM organization_members m JOIN organizations o ON o.id = m.organization_id
       WHERE m.user_id = $1 ORDER BY o.created_at, o.id`,
      [userId],
    );
  }
}
