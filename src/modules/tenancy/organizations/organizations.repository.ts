import { Injectable } from '@nestjs/common';
import type { OrganizationScope, UserScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Organization } from './organization.entity.js';
import { OrganizationMember } from './organization-member.entity.js';
import type { Plan } from './plans.js';

export type ListedOrganization = Pick<Organization, 'id' | 'name' | 'slug' | 'ownerId' | 'createdAt'>;

/** Reads and writes organizations by their owners and members. */
@Injectable()
export class OrganizationsRepository {
  constructor(private readonly database: Database) {}

  async insert(organization: { id: string; name: string; slug: string; ownerId: string }, tx: Db): Promise<void> {
    await this.database.repository(Organization, tx).insert(organization);
    const { id: organizationId, ownerId: userId } = organization;
    await this.database.repository(OrganizationMember, tx).insert({ organizationId, userId, role: 'owner' });
  }

  /**
   * Locks all organizations of a person, in the order of their ids. Must be called before the person's own row is
   * locked.
   */
  async lockAllOf({ userId }: Pick<UserScope, 'userId'>, tx: Db): Promise<void> {
    await this.database.execute(
      `SELECT 1 FROM organizations
       WHERE id IN (SELECT organization_id FROM organization_members WHERE user_id = $1) ORDER BY id FOR UPDATE`,
      [userId],
      tx,
    );
  }

  /** Returns the organizations of a person, in the order in which {@link lockAllOf} locks them. */
  idsOf({ userId }: Pick<UserScope, 'userId'>, tx: Db): Promise<Pick<OrganizationScope, 'organizationId'>[]> {
    return this.database.rows<Pick<OrganizationScope, 'organizationId'>>(
      `SELECT organization_id AS "organizationId" FROM organization_members WHERE user_id = $1 ORDER BY organization_id`,
      [userId],
      tx,
    );
  }

  /**
   * Returns the organizations of a person, newest first. Uses plain SQL, because every page of the console reads this
   * list and the query builder takes longer than the database.
   */
  listOf({ userId }: Pick<UserScope, 'userId'>): Promise<ListedOrganization[]> {
    return this.database.rows<ListedOrganization>(
      `SELECT o.id, o.name, o.slug, o.owner_id AS "ownerId", o.created_at AS "createdAt"
       FROM organization_members m JOIN organizations o ON o.id = m.organization_id
       WHERE m.user_id = $1 ORDER BY o.created_at DESC, o.id DESC`,
      [userId],
    );
  }

  /**
   * Locks the organizations that a person owns, in the order of their ids. This includes an organization that was
   * created after {@link lockAllOf}.
   */
  lockOwnedBy({ userId }: Pick<UserScope, 'userId'>, tx: Db): Promise<Pick<Organization, 'id' | 'name'>[]> {
    return this.database.repository(Organization, tx).find({
      where: { /* tenant: their owner */ ownerId: userId },
      select: { id: true, name: true },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /**
   * Removes all members and frees the slug. The replacement slug begins with `/`, so that nobody can choose the same
   * one.
   */
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
