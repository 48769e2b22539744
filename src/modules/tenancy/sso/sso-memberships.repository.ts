import { Injectable } from '@nestjs/common';
import type { OrganizationScope, UserId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import type { GrantableRole } from '../organizations/index.js';
import type { SsoMembership } from './sso-membership.entity.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** Stores which memberships identity providers have created. */
@Injectable()
export class SsoMembershipsRepository {
  constructor(private readonly database: Database) {}

  /** @returns false when there is already a row for this person */
  async insert(
    { organizationId }: Tenant,
    { userId, role, madeBy }: Pick<SsoMembership, 'userId' | 'role' | 'madeBy'>,
    tx: Db,
  ): Promise<boolean> {
    const inserted = await this.database.execute(
      `INSERT INTO sso_memberships (organization_id, user_id, role, made_by) VALUES ($1, $2, $3, $4)
       ON CONFLICT DO NOTHING`,
      [organizationId, userId, role, madeBy],
      tx,
    );
    return inserted === 1;
  }

  /** Stores that SCIM has created a membership or changed its role. */
  async setByScim({ organizationId }: Tenant, userId: UserId, role: GrantableRole, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO sso_memberships (organization_id, user_id, role, made_by) VALUES ($1, $2, $3, 'scim')
       ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role, made_by = excluded.made_by`,
      [organizationId, userId, role],
      tx,
    );
  }

  /** Returns null when there is no row for this person. */
  async find(
    { organizationId }: Tenant,
    userId: UserId,
    db?: Db,
  ): Promise<Pick<SsoMembership, 'role' | 'madeBy'> | null> {
    const [row] = await this.database.rows<Pick<SsoMembership, 'role' | 'madeBy'>>(
      'SELECT role, made_by AS "madeBy" FROM sso_memberships WHERE organization_id = $1 AND user_id = $2',
      [organizationId, userId],
      db,
    );
    return row ?? null;
  }
}
