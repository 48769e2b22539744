import { Injectable } from '@nestjs/common';
import type { OrganizationScope, Role, UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** A membership with the name and address of the account. */
export interface MemberRow {
  readonly userId: UserId;
  readonly role: Role;
  readonly createdAt: Date;
  readonly email: string;
  /** Null: the account has no name. */
  readonly name: string | null;
}

const COLUMNS = 'm.user_id AS "userId", m.role, m.created_at AS "createdAt", u.email, u.name';

/** Reads the members of an organization. */
@Injectable()
export class MembersReader {
  constructor(private readonly database: Database) {}

  /** Returns all members, newest first. */
  list(scope: Tenant, db?: Db): Promise<MemberRow[]> {
    return this.database.rows<MemberRow>(
      `SELECT ${COLUMNS} FROM organization_members m JOIN users u ON u.id = m.user_id
       WHERE m.organization_id = $1 ORDER BY m.created_at DESC, m.user_id DESC`,
      [scope.organizationId],
      db,
    );
  }

  /** Returns null when the person is not a member. */
  async find(scope: Tenant, userId: string, db?: Db): Promise<MemberRow | null> {
    const [row] = await this.database.rows<MemberRow>(
      `SELECT ${COLUMNS} FROM organization_members m JOIN users u ON u.id = m.user_id
       WHERE m.organization_id = $1 AND m.user_id = $2`,
      [scope.organizationId, userId],
      db,
    );
    return row ?? null;
  }

  /** Returns whether anybody other than this person belongs to the organization. */
  async hasOthers(scope: Tenant, userId: UserId, tx: Db): Promise<boolean> {
    const rows = await this.database.rows(
      'SELECT FROM organization_members WHERE organization_id = $1 AND user_id <> $2 LIMIT 1',
      [scope.organizationId, userId],
      tx,
    );
    return rows.length > 0;
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
}
