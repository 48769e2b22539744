import { Injectable } from '@nestjs/common';
import { NotAuthenticated } from '../../../../../platform/http/domain-error.js';
import type { Db } from '../../../../../platform/database/database.js';
import type { OrganizationScope, ScimScope, UserId } from '../../../../access/index.js';
import { SessionsService } from '../../../../identity/sessions/index.js';
import { UsersReader } from '../../../../identity/users/index.js';
import {
  type GrantableRole,
  MembersReader,
  MembershipChangesService,
  OrganizationsReader,
} from '../../../organizations/index.js';
import { SsoDomainsRepository } from '../../sso-domains.repository.js';
import { SsoMembershipsRepository } from '../../sso-memberships.repository.js';
import { roleOf, SsoRolesRepository } from '../../sso-roles.repository.js';
import { domainOf } from '../../sso-sign-in.service.js';
import { invalidValue, OwnerKeepsMembership } from '../protocol/scim-fault.js';
import { ScimMembershipsRepository } from './scim-memberships.repository.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** Creates and ends memberships for an identity provider, and updates their roles when groups change. */
@Injectable()
export class ScimMembershipsService {
  constructor(
    private readonly organizations: OrganizationsReader,
    private readonly members: MembersReader,
    private readonly changes: MembershipChangesService,
    private readonly domains: SsoDomainsRepository,
    private readonly roles: SsoRolesRepository,
    private readonly made: SsoMembershipsRepository,
    private readonly followers: ScimMembershipsRepository,
    private readonly users: UsersReader,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Locks the organization before any other row, so that changes run one after another and cannot deadlock.
   * @throws NotAuthenticated when the organization was deleted meanwhile
   */
  async lock(scope: ScimScope, tx: Db): Promise<void> {
    const { deletedAt } = await this.organizations.lock(scope, tx);
    if (deletedAt !== null) throw new NotAuthenticated();
  }

  /** @throws ScimFault when the organization has not verified the domain of an address */
  async requireDomain(scope: ScimScope, address: string, tx: Db): Promise<void> {
    const domains = await this.domains.verifiedOf(scope, tx);
    if (!domains.includes(domainOf(address)))
      throw invalidValue('The domain of userName is not a verified domain of the organization');
  }

  /**
   * Makes a person a member, with the role of their groups. @throws ScimFault when the domain of the address is not
   * verified
   */
  async start(scope: ScimScope, user: { readonly id: UserId; readonly email: string }, tx: Db): Promise<void> {
    await this.requireDomain(scope, user.email, tx);
    const names = await this.followers.groupNamesOf(scope, [user.id], tx);
    const role = roleOf(await this.roles.of(scope, tx), names.get(user.id) ?? []);
    await this.made.setByScim(scope, user.id, role, tx);
    await this.changes.join(scope, { userId: user.id, role, by: { scim_token_id: scope.tokenId } }, tx);
  }

  /**
   * Prevents a sign-in from creating a membership for a person whom the provider has not activated. The row does not
   * name SCIM as the creator, so that the role of a later invitation does not follow groups.
   */
  async keepOut(scope: ScimScope, userId: UserId, tx: Db): Promise<void> {
    await this.made.insert(scope, { userId, role: 'viewer', madeBy: 'person' }, tx);
  }

  /**
   * Ends all sessions of a person, and the membership if there is one.
   * @returns the ids of the ended sessions. Pass them to `SessionsService.forget` after the commit
   * @throws OwnerKeepsMembership
   */
  async end(scope: ScimScope, userId: UserId, tx: Db): Promise<string[]> {
    const member = await this.members.find(scope, userId, tx);
    if (member?.role === 'owner') throw new OwnerKeepsMembership();
    await this.users.lock(userId, tx);
    if (member !== null) await this.changes.leave(scope, null, member, tx);
    return this.sessions.revokeAllOf(userId, tx);
  }

  /** Updates the roles of all members that SCIM has created, after the roles of groups have changed. */
  async followRoles(scope: Tenant, tx: Db): Promise<void> {
    await this.followGroups(scope, await this.followers.provisioned(scope, tx), tx);
  }

  /** Gives members the roles of their groups. The number of statements does not depend on the number of members. */
  async followGroups(scope: Tenant, ids: readonly UserId[], tx: Db): Promise<void> {
    if (ids.length === 0) return;
    const settings = await this.roles.of(scope, tx);
    const byRole = new Map<GrantableRole, UserId[]>();
    for (const { userId, role, groups } of await this.followers.following(scope, ids, tx)) {
      const wanted = roleOf(settings, groups);
      if (wanted === role) continue;
      const changed = byRole.get(wanted) ?? [];
      changed.push(userId);
      byRole.set(wanted, changed);
    }
    for (const [role, changed] of byRole) {
      await this.changes.changeRoles(scope, changed, role, tx);
      await this.followers.storeRole(scope, changed, role, tx);
    }
  }
}
