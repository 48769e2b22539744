import { Injectable } from '@nestjs/common';
import {
  type OrganizationId,
  type OrganizationMembership,
  OrganizationNotFound,
  type OrganizationScope,
  type UserId,
} from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Organization } from './organization.entity.js';

/** Reads organizations, and the role of a person in one. */
@Injectable()
export class OrganizationsReader {
  constructor(private readonly database: Database) {}

  async get(scope: Pick<OrganizationScope, 'organizationId'>, db?: Db): Promise<Organization> {
    const organization = await this.database.repository(Organization, db).findOneBy({ id: scope.organizationId });
    if (organization === null) throw new OrganizationNotFound();
    return organization;
  }

  /** Locks the organization's row, so that two requests do not both use the last place that the plan's limit allows. */
  async lock(scope: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<Organization> {
    return this.database
      .repository(Organization, tx)
      .findOneOrFail({ where: { id: scope.organizationId }, lock: { mode: 'pessimistic_write' } });
  }

  /** Returns the organization with a slug, or null. Slugs are compared without regard to case. */
  async idOfSlug(slug: string): Promise<OrganizationId | null> {
    const [row] = await this.database.rows<{ id: OrganizationId }>(
      `SELECT id FROM organizations /* every tenant: the operator has configured the slug */
       WHERE lower(slug COLLATE "C") = lower($1 COLLATE "C") AND deleted_at IS NULL`,
      [slug],
    );
    return row?.id ?? null;
  }

  /** Returns null when the organization does not exist. The role is null when the person is not a member. */
  async membershipOf(userId: UserId, organizationId: string): Promise<OrganizationMembership | null> {
    const rows = await this.database.rows<OrganizationMembership>(
      `SELECT o.id AS "organizationId", m.role FROM organizations o
       LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = $1
       WHERE o.id = $2 AND o.deleted_at IS NULL`,
      [userId, organizationId],
    );
    return rows[0] ?? null;
  }
}
