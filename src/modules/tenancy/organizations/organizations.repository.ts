import { Injectable } from '@nestjs/common';
import type { OrganizationScope, UserScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Organization } from './organization.entity.js';
import { OrganizationMember } from './organization-member.entity.js';
import type { Plan } from './plans.js';

export type ListedOrganization = Pick<Organization, 'id' | 'name' | 'slug' | 'ownerId' | 'createdAt'>;

/** Organizations by the people who own them or belong to them. */
@Injectable()
export class OrganizationsRepository {
  constructor(private readonly database: Database) {}

  async insert(organization: { id: string; name: string; slug: string; ownerId: string }, tx: Db): Promise<void> {
    await this.database.repository(Organization, tx).insert(organization);
    const { id: organizationId, ownerId: userId } = organization;
    await this.database.repository(OrganizationMember, tx).insert({ organizationId, userId, role: 'owner' });
  }

  /** Locks every organization of a person, in one order everywhere: before the person's own row. */
  async lockAllOf({ userId }: Pick<UserScope, 'userId'>, tx: Db): Promise<void> {
    await this.database.execute(
      `SELECT 1 FROM organizations
       WHERE id IN (SELECT organization_id FROM organization_members WHERE user_id = $1) ORDER BY id FOR UPDATE`,
      [userId],
      tx,
    );
  }

  /** The organizations of a person, in the order in which they are locked. */
  idsOf({ userId }: Pick<UserScope, 'userId'>, tx: Db): Promise<Pick<OrganizationScope, 'organizationId'>[]> {
    return this.database.rows<Pick<OrganizationScope, 'organizationId'>>(
      `SELECT organization_id AS "organizationId" FROM organization_members WHERE user_id = $1 ORDER BY organization_id`,
      [userId],
      tx,
    );
  }

  /** Newest first. Plain SQL, since everybody's every page begins with it: the builder takes longer than the database. */
  listOf({ userId }: Pick<UserScope, 'userId'>): Promise<ListedOrganization[]> {
    return this.database.rows<ListedOrganization>(
      `SELECT o.id, o.name, o.slug, o.owner_id AS "ownerId", o.created_at AS "createdAt"
       FROM organization_members m JOIN organizations o ON o.id = m.organization_id
       WHERE m.user_id = $1 ORDER BY o.created_at DESC, o.id DESC`,
      [userId],
    );
  }

  /** Locked, in one order everywhere: one that was made a moment ago too, which {@link lockAllOf} has not seen. */
  lockOwnedBy({ userId }: Pick<UserScope, 'userId'>, tx: Db): Promise<Pick<Organization, 'id' | 'name'>[]> {
    return this.database.repository(Organization, tx).find({
      where: { /* tenant: their owner */ ownerId: userId },
      select: { id: true, name: true },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /** Nobody is a member any more, and its slug is free. What stands in its place is no slug that anybody can choose. */
  async markDeleted({ organizationId }: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE organizations SET deleted_at = now(), owner_id = NULL, name = '', slug = '/' || id, plan = 'free',
         payment_customer_id = NULL, payment_subscription_id = NULL, payment_subscription_status = NULL
       WHERE id = $1`,
      [organizationId],
      tx,
    );
    await this.database.execute('DELETE FROM organization_members WHERE organization_id = $1', [organizationId], tx);
  }

  async plansOwnedBy(scope: Pick<UserScope, 'userId'>, db?: Db): Promise<Plan[]> {
    const owned = await this.database
      .repository(Organization, db)
      .find({ where: { /* tenant: their owner */ ownerId: scope.userId }, select: { plan: true } });
    return owned.map((organization) => organization.plan);
  }
}
