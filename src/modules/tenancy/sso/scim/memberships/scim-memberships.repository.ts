import { Injectable } from '@nestjs/common';
import type { OrganizationScope, UserId } from '../../../../access/index.js';
import { Database, type Db } from '../../../../../platform/database/database.js';
import type { GrantableRole } from '../../../organizations/index.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** A member whose role may follow their groups. */
export interface FollowingMember {
  readonly userId: UserId;
  readonly role: GrantableRole;
  /** The names of the groups of the member. */
  readonly groups: readonly string[];
}

/** Reads and writes the memberships whose roles follow the groups of an identity provider. */
@Injectable()
export class ScimMembershipsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the users whose memberships SCIM has created. Some of these memberships may have ended. */
  async provisioned({ organizationId }: Tenant, tx: Db): Promise<UserId[]> {
    const rows = await this.database.rows<{ userId: UserId }>(
      `SELECT user_id AS "userId" FROM sso_memberships WHERE organization_id = $1 AND made_by = 'scim'`,
      [organizationId],
      tx,
    );
    return rows.map(({ userId }) => userId);
  }

  /**
   * Returns those of the users whose role follows their groups: SCIM has created the membership, and nobody has changed
   * its role manually since.
   */
  async following(scope: Tenant, ids: readonly UserId[], tx: Db): Promise<FollowingMember[]> {
    const members = await this.database.rows<Omit<FollowingMember, 'groups'>>(
      `SELECT m.user_id AS "userId", m.role
       FROM unnest($2::uuid[]) AS u(id)
       JOIN sso_memberships p ON p.organization_id = $1 AND p.user_id = u.id AND p.made_by = 'scim'
       JOIN organization_members m ON m.organization_id = $1 AND m.user_id = u.id AND m.role = p.role
       WHERE m.role <> 'owner'`,
      [scope.organizationId, ids],
      tx,
    );
    // On tables without statistics, a join of both statements would compare every member with every group member.
    const names = await this.groupNamesOf(scope, ids, tx);
    return members.map((member) => ({ ...member, groups: names.get(member.userId) ?? [] }));
  }

  /** Returns the names of the groups of several users. */
  async groupNamesOf(
    { organizationId }: Tenant,
    ids: readonly UserId[],
    tx: Db,
  ): Promise<ReadonlyMap<UserId, readonly string[]>> {
    const rows = await this.database.rows<{ userId: UserId; names: string[] }>(
      `SELECT gm.user_id AS "userId", array_agg(g.display_name) AS names
       FROM unnest($2::uuid[]) AS u(id)
       JOIN scim_group_members gm ON gm.user_id = u.id
       JOIN scim_groups g ON g.id = gm.group_id AND g.organization_id = $1
       GROUP BY gm.user_id`,
      [organizationId, ids],
      tx,
    );
    return new Map(rows.map(({ userId, names }) => [userId, names]));
  }

  /** Stores the role that SCIM has given to members. */
  async storeRole({ organizationId }: Tenant, ids: readonly UserId[], role: GrantableRole, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE sso_memberships SET role = $3 WHERE organization_id = $1 AND user_id = ANY($2::uuid[])',
      [organizationId, ids, role],
      tx,
    );
  }
}
