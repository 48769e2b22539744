import { Injectable } from '@nestjs/common';
import type { OrganizationScope, Role, UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** A member with what the account tells of them. */
export interface MemberRow {
  readonly userId: UserId;
  readonly role: Role;
  readonly createdAt: Date;
  readonly email: string;
  /** Null: the account has no name. */
  readonly name: string | null;
}

const COLUMNS = 'm.user_id AS "userId", m.role, m.created_at AS "createdAt", u.email, u.name';

/**
 * Members of an organization, and the project memberships that follow them (DECISIONS 3). Whoever writes holds the
 * organization's row: a project that is made at the same time then sees the member, or is seen here.
 */
@Injectable()
export class MembersRepository {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  list(scope: Tenant): Promise<MemberRow[]> {
    return this.database.rows<MemberRow>(
      `SELECT ${COLUMNS} FROM organization_members m JOIN users u ON u.id = m.user_id
       WHERE m.organization_id = $1 ORDER BY m.created_at DESC, m.user_id DESC`,
      [scope.organizationId],
    );
  }

  /** Null: no such member. */
  async find(scope: Tenant, userId: string, db?: Db): Promise<MemberRow | null> {
    const [row] = await this.database.rows<MemberRow>(
      `SELECT ${COLUMNS} FROM organization_members m JOIN users u ON u.id = m.user_id
       WHERE m.organization_id = $1 AND m.user_id = $2`,
      [scope.organizationId, userId],
      db,
    );
    return row ?? null;
  }

  async findByEmailKey(scope: Tenant, emailKey: string, db?: Db): Promise<MemberRow | null> {
    const [row] = await this.database.rows<MemberRow>(
      `SELECT ${COLUMNS} FROM organization_members m JOIN users u ON u.id = m.user_id
       WHERE m.organization_id = $1 AND u.email_key = $2`,
      [scope.organizationId, emailKey],
      db,
    );
    return row ?? null;
  }

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

  async organizationsOf(userId: UserId, tx: Db): Promise<Tenant[]> {
    return this.database.rows<Tenant>(
      `SELECT organization_id AS "organizationId" FROM organization_members WHERE user_id = $1 ORDER BY organization_id`,
      [userId],
      tx,
    );
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
