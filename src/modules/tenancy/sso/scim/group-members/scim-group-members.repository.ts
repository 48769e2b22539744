import { Injectable } from '@nestjs/common';
import type { OrganizationScope, UserId } from '../../../../access/index.js';
import { Database, type Db } from '../../../../../platform/database/database.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** A member of a group, with the name for display. */
export interface MemberOfGroup {
  readonly groupId: string;
  readonly userId: UserId;
  readonly display: string;
}

/** A group that a user is a member of. */
export interface GroupOfUser {
  readonly userId: UserId;
  readonly id: string;
  readonly displayName: string;
}

/** Stores which users are members of which groups of identity providers. */
@Injectable()
export class ScimGroupMembersRepository {
  constructor(private readonly database: Database) {}

  /** Returns the ids of the members of a group. */
  async idsOf({ organizationId }: Tenant, id: string, tx: Db): Promise<UserId[]> {
    const rows = await this.database.rows<{ userId: UserId }>(
      `SELECT gm.user_id AS "userId" FROM scim_groups g JOIN scim_group_members gm ON gm.group_id = g.id
       WHERE g.organization_id = $1 AND g.id = $2`,
      [organizationId, id],
      tx,
    );
    return rows.map(({ userId }) => userId);
  }

  /** Returns the members of several groups, with their names for display. */
  async membersOf({ organizationId }: Tenant, ids: readonly string[], db?: Db): Promise<MemberOfGroup[]> {
    const members = await this.database.rows<Omit<MemberOfGroup, 'display'>>(
      `SELECT gm.group_id AS "groupId", gm.user_id AS "userId" FROM scim_group_members gm
       WHERE gm.group_id IN (SELECT id FROM scim_groups WHERE organization_id = $1 AND id = ANY($2::uuid[]))
       ORDER BY gm.user_id`,
      [organizationId, ids],
      db,
    );
    // On tables without statistics, a join would compare every member with every user.
    const users = await this.database.rows<{ id: UserId; display: string }>(
      `SELECT user_id AS id, coalesce(display_name, user_name) AS display FROM scim_users
       WHERE organization_id = $1 AND user_id = ANY($2::uuid[])`,
      [organizationId, members.map(({ userId }) => userId)],
      db,
    );
    const names = new Map(users.map(({ id, display }) => [id, display]));
    return members.map((member) => ({ ...member, display: names.get(member.userId) ?? '' }));
  }

  /** Returns the ids that belong to users of the provider. */
  async usersAmong({ organizationId }: Tenant, ids: readonly string[], tx: Db): Promise<UserId[]> {
    const rows = await this.database.rows<{ userId: UserId }>(
      `SELECT user_id AS "userId" FROM scim_users
       WHERE organization_id = $1 AND user_id = ANY($2::uuid[]) AND deleted_at IS NULL`,
      [organizationId, ids],
      tx,
    );
    return rows.map(({ userId }) => userId);
  }

  async add({ organizationId }: Tenant, id: string, userIds: readonly UserId[], tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO scim_group_members (group_id, user_id)
       SELECT g.id, u.id FROM scim_groups g CROSS JOIN unnest($3::uuid[]) AS u(id)
       WHERE g.organization_id = $1 AND g.id = $2 ON CONFLICT DO NOTHING`,
      [organizationId, id, userIds],
      tx,
    );
  }

  async remove({ organizationId }: Tenant, id: string, userIds: readonly UserId[], tx: Db): Promise<void> {
    await this.database.execute(
      `DELETE FROM scim_group_members gm USING scim_groups g
       WHERE g.organization_id = $1 AND g.id = $2 AND gm.group_id = g.id AND gm.user_id = ANY($3::uuid[])`,
      [organizationId, id, userIds],
      tx,
    );
  }

  /** Removes a user from all groups of the organization. The version of these groups is incremented. */
  async removeFromAll({ organizationId }: Tenant, userId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      `WITH removed AS (
         DELETE FROM scim_group_members gm USING scim_groups g
         WHERE g.organization_id = $1 AND gm.group_id = g.id AND gm.user_id = $2 RETURNING gm.group_id)
       UPDATE scim_groups SET version = version + 1, updated_at = clock_timestamp()
       WHERE organization_id = $1 AND id IN (SELECT group_id FROM removed)`,
      [organizationId, userId],
      tx,
    );
  }

  /** Increments the version of users whose groups have changed. */
  async touchUsers({ organizationId }: Tenant, ids: readonly UserId[], tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE scim_users SET version = version + 1 WHERE organization_id = $1 AND user_id = ANY($2::uuid[])',
      [organizationId, ids],
      tx,
    );
  }

  /**
   * Returns up to `limit` groups of several users, sorted by the order of `ids` and then by the names of the groups.
   */
  groupsOf({ organizationId }: Tenant, ids: readonly UserId[], limit: number, db?: Db): Promise<GroupOfUser[]> {
    return this.database.rows<GroupOfUser>(
      `SELECT gm.user_id AS "userId", g.id, g.display_name AS "displayName"
       FROM unnest($2::uuid[]) WITH ORDINALITY AS u(id, position)
       JOIN scim_group_members gm ON gm.user_id = u.id
       JOIN scim_groups g ON g.id = gm.group_id AND g.organization_id = $1
       ORDER BY u.position, g.display_name, g.id LIMIT $3`,
      [organizationId, ids, limit],
      db,
    );
  }
}
