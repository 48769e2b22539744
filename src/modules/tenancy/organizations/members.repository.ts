import { Injectable } from '@nestjs/common';
import type { OrganizationScope, Role, UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/**
 * Writes members of an organization and their memberships in its projects. The caller must hold the lock on the
 * organization's row. A project that is created at the same time then either includes the new member or is already
 * visible here.
 */
@Injectable()
export class MembersRepository {
  constructor(private readonly database: Database) {}

  /** Returns false when the person is already a member. Their role then stays unchanged. */
  async insert(scope: Tenant, userId: UserId, role: Role, tx: Db): Promise<boolean> {
    const inserted = await this.database.execute(
      `INSERT INTO organization_members (organization_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [scope.organizationId, userId, role],
      tx,
    );
    if (inserted === 1) await this.spreadToProjects(scope, userId, role, tx);
    return inserted === 1;
  }

  async updateRole(scope: Tenant, userId: UserId, role: Role, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE organization_members SET role = $3 WHERE organization_id = $1 AND user_id = $2',
      [scope.organizationId, userId, role],
      tx,
    );
    await this.spreadToProjects(scope, userId, role, tx);
  }

  /** Gives several members one role. @returns the members that had another role, each with their previous role */
  async updateRoles(
    scope: Tenant,
    userIds: readonly UserId[],
    role: Role,
    tx: Db,
  ): Promise<{ userId: UserId; from: Role }[]> {
    // On a table without statistics, a self-join would compare every row with every other row.
    const changed = await this.database.rows<{ userId: UserId; from: Role }>(
      `SELECT user_id AS "userId", role AS "from" FROM organization_members
       WHERE organization_id = $1 AND user_id = ANY($2::uuid[]) AND role <> $3`,
      [scope.organizationId, userIds, role],
      tx,
    );
    const ids = changed.map(({ userId }) => userId);
    await this.database.execute(
      'UPDATE organization_members SET role = $3 WHERE organization_id = $1 AND user_id = ANY($2::uuid[])',
      [scope.organizationId, ids, role],
      tx,
    );
    await this.database.execute(
      `INSERT INTO project_members (project_id, user_id, role)
       SELECT p.id, u.id, $3 FROM projects p CROSS JOIN unnest($2::uuid[]) AS u(id)
       WHERE p.organization_id = $1 AND p.deleted_at IS NULL
       ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
      [scope.organizationId, ids, role],
      tx,
    );
    return changed;
  }

  /** Stores the owner of the organization. The roles of the former and the new owner are changed separately. */
  async setOwner(scope: Tenant, ownerId: UserId, tx: Db): Promise<void> {
    await this.database.execute(
      'UPDATE organizations SET owner_id = $2 WHERE id = $1',
      [scope.organizationId, ownerId],
      tx,
    );
  }

  /**
   * Deletes a membership. Requires the organization's lock. Updates the account's row before its memberships, in the
   * same order as the deletion of an account.
   */
  async delete(scope: Tenant, userId: UserId, tx: Db): Promise<void> {
    const parameters = [scope.organizationId, userId];
    // This row prevents a later sign-in through an identity provider from creating the membership again. It also
    // prevents the role of a later invitation from following groups. SCIM updates this row when it restores the
    // membership.
    await this.database.execute(
      `INSERT INTO sso_memberships (organization_id, user_id, role, made_by)
       SELECT organization_id, user_id, role, 'person' FROM organization_members
       WHERE organization_id = $1 AND user_id = $2 AND role <> 'owner'
       ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role, made_by = excluded.made_by`,
      parameters,
      tx,
    );
    await this.database.execute(
      `UPDATE users SET selected_project_id = NULL
       WHERE id = $2 AND selected_project_id IN (SELECT id FROM projects WHERE organization_id = $1)`,
      parameters,
      tx,
    );
    await this.database.execute(
      'DELETE FROM organization_members WHERE organization_id = $1 AND user_id = $2',
      parameters,
      tx,
    );
    await this.database.execute(
      `DELETE FROM project_members
       WHERE user_id = $2 AND project_id IN (SELECT id FROM projects WHERE organization_id = $1)`,
      parameters,
      tx,
    );
  }

  /**
   * Gives the member the same role in every project of the organization. This replaces other roles that an admin gave
   * in single projects, and restores memberships that an admin removed.
   */
  private async spreadToProjects(scope: Tenant, userId: UserId, role: Role, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO project_members (project_id, user_id, role)
       SELECT id, $2, $3 FROM projects WHERE organization_id = $1 AND deleted_at IS NULL
       ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role`,
      [scope.organizationId, userId, role],
      tx,
    );
  }
}
