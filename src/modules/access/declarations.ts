import { SetMetadata, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiHeader } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import type { OrganizationId, ProjectId } from './ids.js';
import type { DomainErrorClass } from '../../platform/http/domain-error.js';
import type { Capability } from './capabilities.js';
import type { Role } from './roles.js';
import type { ApiKeyScopeName, ProjectScope, UserScope } from './scope.js';

/** Finds whose a thing is that a path names by its own id. */
export abstract class TenantOfResource<Tenant> {
  /** Path parameter that holds the thing's id. */
  abstract readonly parameter: string;
  /** Answered for a missing thing and for another tenant's alike. */
  abstract readonly notFound: DomainErrorClass;
  abstract tenantOf(id: string): Promise<Tenant | null>;
}

/** Finds the project of a thing that a path names by its own id. */
export abstract class ProjectOfResource extends TenantOfResource<ProjectId> {}

/** Finds the organization of a thing that a path names by its own id. */
export abstract class OrganizationOfResource extends TenantOfResource<OrganizationId> {}

/** Tells whether a thing that a path names by its own id belongs to the project that the route names beside it. */
export abstract class ThingOfProject {
  /** Path parameter that holds the thing's id. */
  abstract readonly parameter: string;
  /** Answered for a missing thing and for another project's alike. */
  abstract readonly notFound: DomainErrorClass;
  abstract isIn(scope: ProjectScope, id: string): Promise<boolean>;
}

/** Tells whether a thing that a path names by its own id is meant for the caller, who need not be a member of anything. */
export abstract class AddressedResource {
  /** Path parameter that holds the thing's id. */
  abstract readonly parameter: string;
  /** @throws DomainError 404 when there is no such thing, 403 when it is meant for somebody else */
  abstract admit(user: UserScope, id: string): Promise<void>;
}

/** Who may call a route. The same value is enforced by the guard and written into the document. */
export type AccessDeclaration =
  | { readonly kind: 'public'; readonly reason: string }
  | { readonly kind: 'internal' }
  | { readonly kind: 'bearer'; readonly addressee?: Type<AddressedResource> }
  | {
      readonly kind: 'organization';
      readonly role: Role;
      readonly via?: Type<OrganizationOfResource>;
      readonly orSelf?: string;
    }
  | {
      readonly kind: 'project';
      readonly role: Role;
      readonly via?: Type<ProjectOfResource>;
      readonly orSelected?: boolean;
    }
  | {
      readonly kind: 'capability';
      readonly capability: Capability;
      readonly via?: Type<ProjectOfResource>;
      readonly thing?: Type<ThingOfProject>;
    }
  | { readonly kind: 'each'; readonly role: Role; readonly via: Type<ProjectOfResource> }
  | { readonly kind: 'api-key'; readonly scopes: readonly ApiKeyScopeName[] }
  | {
      readonly kind: 'member-or-key';
      readonly role: Role;
      readonly scopes: readonly ApiKeyScopeName[];
      readonly missing: DomainErrorClass;
    }
  | { readonly kind: 'platform-admin' }
  | { readonly kind: 'provider' };

export const ACCESS = Symbol('access declaration');

export type Requirement =
  | {
      /** Least organization role; the id is the route's `organization_id` in path, query or body, unless `via` finds it. */
      readonly organization: Role;
      readonly via?: Type<OrganizationOfResource>;
      /** Path parameter with a user id: a member with any role may do it to themselves. */
      readonly orSelf?: string;
    }
  | {
      /** Least project role; the id is the route's `project_id` in path, query or body, unless `via` finds it. */
      readonly project: Role;
      readonly via?: Type<ProjectOfResource>;
      /** The id may stand in body or query; left out of both, the project that the caller has selected is meant. */
      readonly orSelected?: boolean;
    }
  | {
      /** What the person's project role must allow; the project is found as for `project`. */
      readonly capability: Capability;
      readonly via?: Type<ProjectOfResource>;
      /** What the path names has to belong to that project. */
      readonly thing?: Type<ThingOfProject>;
    }
  | {
      /** Least role in the project of each thing that the body names, which the handler asks for one by one. */
      readonly each: Role;
      readonly via: Type<ProjectOfResource>;
    }
  | {
      /** The person the named thing is meant for. */
      readonly addressee: Type<AddressedResource>;
    }
  | {
      /** A platform administrator, while that feature is on; the organization in the path must exist. */
      readonly platform: 'admin';
    };

/** A signed-in person, optionally with a role or capability in the organization or project the route names. */
export function Requires(requirement?: Requirement): MethodDecorator {
  const bearer = ApiBearerAuth('bearer');
  if (requirement === undefined) return declare({ kind: 'bearer' }, bearer);
  if ('project' in requirement) {
    const { project: role, via, orSelected } = requirement;
    return declare({ kind: 'project', role, via, orSelected }, bearer);
  }
  if ('capability' in requirement) {
    const { capability, via, thing } = requirement;
    return declare({ kind: 'capability', capability, via, thing }, bearer);
  }
  if ('each' in requirement) return declare({ kind: 'each', role: requirement.each, via: requirement.via }, bearer);
  if ('addressee' in requirement) return declare({ kind: 'bearer', addressee: requirement.addressee }, bearer);
  if ('platform' in requirement) return declare({ kind: 'platform-admin' }, bearer);
  const { organization: role, via, orSelf } = requirement;
  return declare({ kind: 'organization', role, via, orSelf }, bearer);
}

/** An API key with any one of the scopes; with none named, any active key. */
export function ApiKey(...scopes: ApiKeyScopeName[]): MethodDecorator {
  return declare(
    { kind: 'api-key', scopes },
    ApiHeader({ name: 'X-API-Key', required: true, description: 'Project API key', schema: { type: 'string' } }),
  );
}

export interface EitherCaller {
  /** Least role of a person in the organization of the query's `organization_id`. */
  readonly organization: Role;
  /** Any one of them opens the route to a key, whose project says which organization is meant. */
  readonly scopes: readonly ApiKeyScopeName[];
  /** What a person is told who names no organization. */
  readonly missing: DomainErrorClass;
}

/**
 * A member of the organization the query names, or an API key of one of its projects. With `X-API-Key` the key alone
 * decides, and the query's `organization_id` is not looked at: no key reads another organization.
 */
export function MemberOrApiKey({ organization: role, scopes, missing }: EitherCaller): MethodDecorator {
  return declare(
    { kind: 'member-or-key', role, scopes, missing },
    ApiBearerAuth('bearer'),
    ApiHeader({
      name: 'X-API-Key',
      required: false,
      description: 'Project API key, in place of the access token',
      schema: { type: 'string' },
    }),
  );
}

/** The payment provider, by its signature over the raw body: the handler takes the body as `@RawBody()`. */
export function Provider(): MethodDecorator {
  return declare({ kind: 'provider' });
}

/** Anybody; the reason is for the reader of the route table. */
export function Public(reason: string): MethodDecorator {
  return declare({ kind: 'public', reason });
}

/** Operators with the internal job token; 404 while none is configured. */
export function Internal(): MethodDecorator {
  return declare(
    { kind: 'internal' },
    ApiHeader({
      name: 'X-Internal-Token',
      required: true,
      description: 'INTERNAL_JOB_TOKEN',
      schema: { type: 'string' },
    }),
  );
}

/** One line for the route table and the `x-access` extension: `project:viewer`, `organization:admin|self`, `bearer:addressee`. */
export function describeAccess(access: AccessDeclaration): string {
  switch (access.kind) {
    case 'bearer':
      return access.addressee === undefined ? 'bearer' : 'bearer:addressee';
    case 'each':
      return 'bearer';
    case 'capability':
      return `capability:${access.capability}`;
    case 'project':
      return `project:${access.role}`;
    case 'organization':
      return `organization:${access.role}${access.orSelf === undefined ? '' : '|self'}`;
    case 'api-key':
      return `api-key:${access.scopes.join('|') || 'any'}`;
    case 'member-or-key':
      return `bearer-or-key:${access.role}`;
    default:
      return access.kind;
  }
}

/**
 * The other half of the line in the route table: what names the organization or project, or which class finds it.
 * `project_id`, `project_id|selected`, `via:ProjectOfApiKey`, `project_id+thing:ChannelOfProject`, `each:member:ProjectOfAlertEvent`,
 * `addressee:InvitedToAccept`, `key`; `-` where there is no tenant.
 */
function describeTenant(access: AccessDeclaration): string {
  switch (access.kind) {
    case 'organization':
      return access.via === undefined ? 'organization_id' : `via:${access.via.name}`;
    case 'project':
      if (access.via !== undefined) return `via:${access.via.name}`;
      return access.orSelected === true ? 'project_id|selected' : 'project_id';
    case 'capability':
      if (access.via !== undefined) return `via:${access.via.name}`;
      return access.thing === undefined ? 'project_id' : `project_id+thing:${access.thing.name}`;
    case 'each':
      return `each:${access.role}:${access.via.name}`;
    case 'bearer':
      return access.addressee === undefined ? '-' : `addressee:${access.addressee.name}`;
    case 'platform-admin':
      return 'organization_id';
    case 'member-or-key':
      return 'organization_id|key';
    case 'api-key':
      return 'key';
    case 'public':
    case 'internal':
    case 'provider':
      return '-';
  }
}

function declare(access: AccessDeclaration, ...documentation: MethodDecorator[]): MethodDecorator {
  return applyDecorators(
    SetMetadata(ACCESS, access),
    ApiExtension('x-access', describeAccess(access)),
    ApiExtension('x-tenant', describeTenant(access)),
    ...documentation,
  );
}
