import { SetMetadata, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiHeader } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import type { OrganizationId, ProjectId } from './ids.js';
import type { DomainErrorClass } from '../../platform/http/domain-error.js';
import type { Capability } from './capabilities.js';
import type { Role } from './roles.js';
import type { ApiKeyScopeName, ProjectScope, UserScope } from './scope.js';

/** Finds the tenant of a resource that the path names by its own id. */
export abstract class TenantOfResource<Tenant> {
  /** The path parameter that contains the resource's id. */
  abstract readonly parameter: string;
  /** The error for a missing resource and for a resource of another tenant. */
  abstract readonly notFound: DomainErrorClass;
  abstract tenantOf(id: string): Promise<Tenant | null>;
}

/** Finds the project of a resource that the path names by its own id. */
export abstract class ProjectOfResource extends TenantOfResource<ProjectId> {}

/** Finds the organization of a resource that the path names by its own id. */
export abstract class OrganizationOfResource extends TenantOfResource<OrganizationId> {}

/** Checks whether a resource that the path names by its own id belongs to the project that the same route names. */
export abstract class ThingOfProject {
  /** The path parameter that contains the resource's id. */
  abstract readonly parameter: string;
  /** The error for a missing resource and for a resource of another project. */
  abstract readonly notFound: DomainErrorClass;
  abstract isIn(scope: ProjectScope, id: string): Promise<boolean>;
}

/**
 * Checks whether a resource that the path names by its own id is addressed to the caller, who need not be a member of
 * anything.
 */
export abstract class AddressedResource {
  /** The path parameter that contains the resource's id. */
  abstract readonly parameter: string;
  /** @throws DomainError 404 when there is no such resource, 403 when it is addressed to another user */
  abstract admit(user: UserScope, id: string): Promise<void>;
}

/** Declares who may call a route. The guards enforce the same value that the API document shows. */
export type AccessDeclaration =
  | { readonly kind: 'public'; readonly reason: string }
  | { readonly kind: 'internal' }
  | {
      readonly kind: 'bearer';
      readonly addressee?: Type<AddressedResource>;
      readonly beforeSecondFactor?: boolean;
    }
  | {
      readonly kind: 'organization';
      readonly role: Role;
      readonly via?: Type<OrganizationOfResource>;
      readonly orSelf?: string;
      readonly orPlatformAdmin?: boolean;
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
  | { readonly kind: 'provider' }
  | { readonly kind: 'hook' }
  | { readonly kind: 'scim' };

export const ACCESS = Symbol('access declaration');

export type Requirement =
  | {
      /**
       * The minimum organization role. The id is the route's `organization_id` in path, query or body, unless `via`
       * finds the organization.
       */
      readonly organization: Role;
      readonly via?: Type<OrganizationOfResource>;
      /** A path parameter with a user id. A member with any role may call the route for their own user id. */
      readonly orSelf?: string;
      /**
       * While platform administration is enabled, a platform administrator may call the route without the role. The
       * handler then gets their {@link UserScope}. Does not work with `via`.
       */
      readonly orPlatformAdmin?: boolean;
    }
  | {
      /**
       * The minimum project role. The id is the route's `project_id` in path, query or body, unless `via` finds the
       * project.
       */
      readonly project: Role;
      readonly via?: Type<ProjectOfResource>;
      /** The id may be in body or query. If it is in neither, the project that the caller has selected is used. */
      readonly orSelected?: boolean;
    }
  | {
      /** The capability that the caller's project role must have. The project is found as for `project`. */
      readonly capability: Capability;
      readonly via?: Type<ProjectOfResource>;
      /** The resource that the path names must belong to that project. */
      readonly thing?: Type<ThingOfProject>;
    }
  | {
      /**
       * The minimum role in the project of each resource that the body names. The handler checks the resources one by
       * one.
       */
      readonly each: Role;
      readonly via: Type<ProjectOfResource>;
    }
  | {
      /** Only the user to whom the resource is addressed may call the route. */
      readonly addressee: Type<AddressedResource>;
    }
  | {
      /** Callers may use the route even while the deployment requires a second factor that they have not set up. */
      readonly beforeSecondFactor: true;
    }
  | {
      /**
       * Requires a platform administrator, and that platform administration is enabled. The organization in the path
       * must exist.
       */
      readonly platform: 'admin';
    };

/** Allows signed-in users, optionally with a role or capability in the organization or project that the route names. */
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
  if ('beforeSecondFactor' in requirement) return declare({ kind: 'bearer', beforeSecondFactor: true }, bearer);
  if ('platform' in requirement) return declare({ kind: 'platform-admin' }, bearer);
  const { organization: role, via, orSelf, orPlatformAdmin } = requirement;
  return declare({ kind: 'organization', role, via, orSelf, orPlatformAdmin }, bearer);
}

/** Allows API keys with any one of the scopes. Without scopes, every active key is allowed. */
export function ApiKey(...scopes: ApiKeyScopeName[]): MethodDecorator {
  return declare(
    { kind: 'api-key', scopes },
    ApiHeader({ name: 'X-API-Key', required: true, description: 'Project API key', schema: { type: 'string' } }),
  );
}

export interface EitherCaller {
  /** The minimum role of a user in the organization that the query's `organization_id` names. */
  readonly organization: Role;
  /** Any one of these scopes is enough for a key. The key's project determines the organization. */
  readonly scopes: readonly ApiKeyScopeName[];
  /** The error for a user whose request has no `organization_id`. */
  readonly missing: DomainErrorClass;
}

/**
 * Allows a member of the organization that the query names, or an API key of one of its projects. With `X-API-Key` only
 * the key decides, and the query's `organization_id` is ignored, so no key reads another organization.
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

/** Allows the payment provider, by its signature over the raw body. The handler takes the body as `@RawBody()`. */
export function Provider(): MethodDecorator {
  return declare({ kind: 'provider' });
}

/**
 * Allows senders of webhooks, by the secret address of an Event Source. The handler verifies the signature, because the
 * signature scheme depends on the source.
 */
export function Hook(): MethodDecorator {
  return declare({ kind: 'hook' });
}

/** Allows the identity provider of an organization, by the organization's token for SCIM. */
export function Scim(): MethodDecorator {
  return declare({ kind: 'scim' });
}

/** Allows every caller. The reason is for readers of the route table. */
export function Public(reason: string): MethodDecorator {
  return declare({ kind: 'public', reason });
}

/** Allows operators with the internal job token. The response is 404 while no token is configured. */
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

/**
 * Returns the access of a route for the route table and the `x-access` extension: `project:viewer`,
 * `organization:admin|self`, `organization:owner|platform-admin`, `bearer:addressee`.
 */
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
      return `organization:${access.role}${access.orSelf === undefined ? '' : '|self'}${access.orPlatformAdmin === true ? '|platform-admin' : ''}`;
    case 'api-key':
      return `api-key:${access.scopes.join('|') || 'any'}`;
    case 'member-or-key':
      return `bearer-or-key:${access.role}`;
    default:
      return access.kind;
  }
}

/**
 * Returns the tenant of a route for the route table and the `x-tenant` extension: which input names the organization or
 * project, or which class finds it. Examples are `project_id`, `project_id|selected`, `via:ProjectOfApiKey`,
 * `project_id+thing:ChannelOfProject`, `each:member:ProjectOfAlertEvent`, `addressee:InvitedToAccept`, `key`, `hook`
 * and `token`. Returns `-` when there is no tenant.
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
    case 'hook':
      return 'hook';
    case 'scim':
      return 'token';
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
