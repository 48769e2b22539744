import { Injectable } from '@nestjs/common';
import {
  type OrganizationMembership,
  type OrganizationScope,
  type UserId,
  type UserScope,
} from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { Organization } from './organization.entity.js';
import { OrganizationMember } from './organization-member.entity.js';
import type { Plan } from './plans.js';

/** Organizations and who belongs to them. */
@Injectable()
export class OrganizationsRepository {
  constructor(private readonly database: Database) {}

  async insert(organization: { id: string; name: string; slug: string; ownerId: string }, tx: Db): Promise<void> {
    await this.database.repository(Organization, tx).insert(organization);
    const { id: organizationId, ownerId: userId } = organization;
    await this.database.repository(OrganizationMember, tx).insert({ organizationId, userId, role: 'owner' });
  }

  get(scope: Pick<OrganizationScope, 'organizationId'>, db?: Db): Promise<Organization> {
    return this.database.repository(Organization, db).findOneByOrFail({ id: scope.organizationId });
  }

  /** Holds the organization's row, so that plan limits are counted by one act at a time. */
  async lock(scope: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<Organization> {
    return this.database
      .repository(Organization, tx)
      .findOneOrFail({ where: { id: scope.organizationId }, lock: { mode: 'pessimistic_write' } });
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

  /** Newest first. */
  listOf(scope: Pick<UserScope, 'userId'>): Promise<Organization[]> {
    return this.database
      .repository(Organization)
      .createQueryBuilder('o')
      .innerJoin(OrganizationMember, 'm', 'm.organizationId = o.id AND m.userId = :userId', { userId: scope.userId })
      .orderBy('o.createdAt', 'DESC')
      .addOrderBy('o.id', 'DESC')
      .getMany();
  }

  async plansOwnedBy(scope: Pick<UserScope, 'userId'>, db?: Db): Promise<Plan[]> {
    const owned = await this.database
      .repository(Organization, db)
      .find({ where: { /* tenant: their owner */ ownerId: scope.userId }, select: { plan: true } });
    return owned.map((organization) => organization.plan);
  }

  /** Null: there is no such organization. */
  async membershipOf(userId: UserId, organizationId: string): Promise<OrganizationMembership | null> {
    const rows = await this.database.rows<OrganizationMembership>(
      `SELECT o.id AS "organizationId", m.role FROM organizations o
       LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = $1
       WHERE o.id = $2`,
      [userId, organizationId],
    );
    return rows[0] ?? null;
  }
}
