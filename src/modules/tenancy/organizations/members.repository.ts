import { Injectable } from '@nestjs/common';
import type { OrganizationScope, Role, UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/**
 * Writes members of an organization, and the project memberships that follow them (DECISIONS 3). Whoever writes holds the
 * organization's row: a project that is made at the same time then sees the member, or is seen here.
 */
@Injectable()
export class MembersRepository {
  constructor(private readonly database: Database) {}

  /** False when the person is a member already, whose role then stays. */
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

  /** Under the organization's lock. The account's row comes before its memberships, as when an account is deleted. */
  async delete(scope: Tenant, userId: UserId, tx: Db): Promise<void> {
    const parameters = [scope.organizationId, userId];
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

  /** The same role in every project of the organization, also where an admin had given another one or taken it away. */
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
