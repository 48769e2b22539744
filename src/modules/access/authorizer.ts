import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { OrganizationId } from './ids.js';
import type { ReadBody } from '../../platform/http/body-reader.js';
import type { CheckedRequest } from '../../platform/http/inputs.js';
import { NotAnOrganizationMember, NotAProjectMember, OrganizationNotFound, ProjectNotFound } from './access-errors.js';
import type {
  AccessDeclaration,
  AddressedResource,
  OrganizationOfResource,
  ProjectOfResource,
} from './declarations.js';
import { MembershipReader, PlatformAdministrators, type ProjectMembership } from './ports.js';
import { isTenantLeftOut, readPathId, readTenantId, type RoutePlan } from './route-plan.js';
import { assertFulfilled, assertOrganizationRole } from './requirements.js';
import { type Role, roleAtLeast } from './roles.js';
import type { AccessScope, OrganizationScope, ProjectMemberScope, ProjectRequirement, UserScope } from './scope.js';

/**
 * Checks that the organization or project that a request names exists and that the caller may access it. One lookup
 * answers both questions.
 */
@Injectable()
export class Authorizer {
  constructor(
    private readonly memberships: MembershipReader,
    private readonly modules: ModuleRef,
    private readonly platform: PlatformAdministrators,
  ) {}

  /**
   * Returns the scope for the handler, or null for routes without a caller. Returns `undecided` when the id of the
   * tenant or resource is missing or malformed. The validation that follows always rejects such a request.
   */
  async authorize(
    plan: RoutePlan,
    caller: AccessScope | null,
    request: CheckedRequest,
    body: ReadBody,
  ): Promise<AccessScope | null | 'undecided'> {
    const { access } = plan;
    const user = caller as UserScope;
    switch (access.kind) {
      case 'organization': {
        if (access.via !== undefined) return this.inOrganizationOf(user, access.via, access.role, request);
        const id = readTenantId(plan, request, body);
        const isSelf = access.orSelf !== undefined && readPathId(access.orSelf, request) === user.userId;
        if (id === null) return 'undecided';
        return this.inOrganization(user, id, isSelf ? 'viewer' : access.role, access.orPlatformAdmin);
      }
      case 'project':
      case 'capability': {
        if (access.via !== undefined) return this.inProjectOf(user, access.via, requirementOf(access), request);
        const id = isTenantLeftOut(plan, request, body)
          ? await this.memberships.selectedProject(user.userId)
          : readTenantId(plan, request, body);
        if (id === null) return 'undecided';
        const scope = await this.inProject(user, id, requirementOf(access));
        return this.withThing(scope, access, request);
      }
      case 'each': {
        const { role, via } = access;
        const { userId, sessionId } = user;
        const resource = this.modules.get(via, { strict: false });
        return { kind: 'each', userId, sessionId, memberOf: (id) => this.memberOf(user, resource, { role }, id) };
      }
      case 'member-or-key': {
        if (caller?.kind === 'api-key') return caller;
        if (request.query.organization_id === undefined) throw new access.missing();
        const id = readTenantId(plan, request, body);
        return id === null ? 'undecided' : this.inOrganization(user, id, access.role);
      }
      case 'platform-admin': {
        await this.platform.admit(user);
        const id = readTenantId(plan, request, body);
        if (id === null) return 'undecided';
        if ((await this.memberships.ofOrganization(user.userId, id)) === null) throw new OrganizationNotFound();
        return user;
      }
      case 'bearer':
        return access.addressee === undefined ? caller : this.asAddressee(user, access.addressee, request);
      default:
        return caller;
    }
  }

  /**
   * @param orPlatformAdmin whether a platform administrator without the role is allowed and gets their {@link
   * UserScope}
   */
  private async inOrganization(
    user: UserScope,
    id: string,
    needed: Role,
    orPlatformAdmin = false,
  ): Promise<AccessScope> {
    const membership = await this.memberships.ofOrganization(user.userId, id);
    if (membership === null) throw new OrganizationNotFound();
    const { organizationId, role } = membership;
    const hasRole = role !== null && roleAtLeast(role, needed);
    if (orPlatformAdmin && !hasRole && (await this.platform.includes(user))) return user;
    if (role === null) throw new NotAnOrganizationMember();
    assertOrganizationRole(needed, role);
    return asOrganizationMember(user, organizationId, role, needed);
  }

  private async inOrganizationOf(
    user: UserScope,
    via: Type<OrganizationOfResource>,
    needed: Role,
    request: CheckedRequest,
  ): Promise<AccessScope | 'undecided'> {
    const resource = this.modules.get(via, { strict: false });
    const id = readPathId(resource.parameter, request);
    if (id === null) return 'undecided';
    const organizationId = await resource.tenantOf(id);
    const membership =
      organizationId === null ? null : await this.memberships.ofOrganization(user.userId, organizationId);
    if (organizationId === null || membership === null || membership.role === null) throw new resource.notFound();
    assertOrganizationRole(needed, membership.role);
    return asOrganizationMember(user, organizationId, membership.role, needed);
  }

  private async asAddressee(
    user: UserScope,
    type: Type<AddressedResource>,
    request: CheckedRequest,
  ): Promise<AccessScope | 'undecided'> {
    const resource = this.modules.get(type, { strict: false });
    const id = readPathId(resource.parameter, request);
    if (id === null) return 'undecided';
    await resource.admit(user, id);
    return user;
  }

  private async withThing(
    scope: ProjectMemberScope,
    access: AccessDeclaration,
    request: CheckedRequest,
  ): Promise<AccessScope | 'undecided'> {
    if (access.kind !== 'capability' || access.thing === undefined) return scope;
    const thing = this.modules.get(access.thing, { strict: false });
    const id = readPathId(thing.parameter, request);
    if (id === null) return 'undecided';
    if (!(await thing.isIn(scope, id))) throw new thing.notFound();
    return scope;
  }

  private async inProject(user: UserScope, id: string, needed: ProjectRequirement): Promise<ProjectMemberScope> {
    const membership = await this.memberships.ofProject(user.userId, id);
    if (membership === null) throw new ProjectNotFound();
    if (membership.role === null) throw new NotAProjectMember();
    return asMember(user, membership, membership.role, needed);
  }

  private async inProjectOf(
    user: UserScope,
    via: Type<ProjectOfResource>,
    needed: ProjectRequirement,
    request: CheckedRequest,
  ): Promise<AccessScope | 'undecided'> {
    const resource = this.modules.get(via, { strict: false });
    const id = readPathId(resource.parameter, request);
    if (id === null) return 'undecided';
    return this.memberOf(user, resource, needed, id);
  }

  private async memberOf(
    user: UserScope,
    resource: ProjectOfResource,
    needed: ProjectRequirement,
    id: string,
  ): Promise<ProjectMemberScope> {
    const projectId = await resource.tenantOf(id);
    const membership = projectId === null ? null : await this.memberships.ofProject(user.userId, projectId);
    if (projectId === null || membership === null || membership.role === null) throw new resource.notFound();
    return asMember(user, membership, membership.role, needed);
  }
}

function requirementOf(access: Extract<AccessDeclaration, { kind: 'project' | 'capability' }>): ProjectRequirement {
  return access.kind === 'capability' ? { capability: access.capability } : { role: access.role };
}

function asMember(
  { userId, sessionId }: UserScope,
  { projectId, organizationId }: ProjectMembership,
  role: Role,
  needed: ProjectRequirement,
): ProjectMemberScope {
  assertFulfilled(needed, role);
  return { kind: 'project', projectId, organizationId, userId, sessionId, role, needed };
}

function asOrganizationMember(
  { userId }: UserScope,
  organizationId: OrganizationId,
  role: Role,
  needed: Role,
): OrganizationScope {
  return { kind: 'organization', organizationId, userId, role, needed };
}
