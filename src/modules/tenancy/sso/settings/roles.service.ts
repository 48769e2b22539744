import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { OrganizationAuthorization } from '../../organizations/index.js';
import { ScimMembershipsService } from '../scim/index.js';
import { type ProvidedRoles, SsoRolesRepository } from '../sso-roles.repository.js';
import type { SsoRolesRequest, SsoRolesResponse } from './roles.dto.js';

/** Returns and sets the roles of people who join an organization through its identity providers. */
@Injectable()
export class SsoRoleSettingsService {
  constructor(
    private readonly database: Database,
    private readonly roles: SsoRolesRepository,
    private readonly memberships: ScimMembershipsService,
    private readonly authorization: OrganizationAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  async get(scope: OrganizationScope): Promise<SsoRolesResponse> {
    return responseOf(await this.roles.of(scope));
  }

  /** Sets the roles. Members that SCIM has created, and whose role follows their groups, get their new role at once. */
  set(scope: OrganizationScope, request: SsoRolesRequest): Promise<SsoRolesResponse> {
    const roles: ProvidedRoles = {
      defaultRole: request.default_role,
      groupRoles: request.group_roles.map(({ group, role }) => ({ group, role })),
    };
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      await this.roles.set(scope, roles, tx);
      const { organizationId, userId: actorUserId } = scope;
      await this.audit.record(
        {
          actorUserId,
          organizationId,
          action: 'sso_roles.changed',
          targetType: 'organization',
          targetId: organizationId,
          detail: responseOf(roles) as unknown as Record<string, unknown>,
        },
        tx,
      );
      await this.memberships.followRoles(scope, tx);
      return responseOf(roles);
    });
  }
}

function responseOf({ defaultRole, groupRoles }: ProvidedRoles): SsoRolesResponse {
  return { default_role: defaultRole, group_roles: groupRoles.map(({ group, role }) => ({ group, role })) };
}
