import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { GRANTABLE_ROLES, type GrantableRole } from '../organizations/index.js';
import { type GroupRole, SsoRoles } from './sso-roles.entity.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

export interface ProvidedRoles {
  readonly defaultRole: GrantableRole;
  readonly groupRoles: readonly GroupRole[];
}

/** Stores the roles that an organization gives to people of its identity providers. */
@Injectable()
export class SsoRolesRepository {
  constructor(private readonly database: Database) {}

  /** Returns the roles of an organization. If none are stored, everybody becomes a viewer. */
  async of({ organizationId }: Tenant, db?: Db): Promise<ProvidedRoles> {
    const row = await this.database.repository(SsoRoles, db).findOneBy({ organizationId });
    return row ?? { defaultRole: 'viewer', groupRoles: [] };
  }

  async set({ organizationId }: Tenant, { defaultRole, groupRoles }: ProvidedRoles, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO sso_roles (organization_id, default_role, group_roles) VALUES ($1, $2, $3)
       ON CONFLICT (organization_id) DO UPDATE SET default_role = excluded.default_role, group_roles = excluded.group_roles`,
      [organizationId, defaultRole, JSON.stringify(groupRoles)],
      tx,
    );
  }
}

/** Returns the highest role of a person's groups, or the default role when none of the groups has a role. */
export function roleOf({ defaultRole, groupRoles }: ProvidedRoles, groups: readonly string[]): GrantableRole {
  const names = new Set(groups);
  const given = new Set(groupRoles.filter(({ group }) => names.has(group)).map(({ role }) => role));
  return GRANTABLE_ROLES.find((role) => given.has(role)) ?? defaultRole;
}
