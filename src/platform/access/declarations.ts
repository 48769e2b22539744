import { SetMetadata, type Type } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiHeader } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import type { DomainErrorClass } from '../http/domain-error.js';
import type { Capability } from './capabilities.js';
import type { ApiKeyScopeName, Role } from './scope.js';

/** Finds the project of a thing that a path names by its own id. */
export abstract class ProjectOfResource {
  /** Path parameter that holds the thing's id. */
  abstract readonly parameter: string;
  /** Answered for a missing thing and for another tenant's alike. */
  abstract readonly notFound: DomainErrorClass;
  abstract projectOf(id: string): Promise<string | null>;
}

/** Who may call a route. The same value is enforced by the guard and written into the document. */
export type AccessDeclaration =
  | { readonly kind: 'public'; readonly reason: string }
  | { readonly kind: 'internal' }
  | { readonly kind: 'bearer' }
  | { readonly kind: 'organization'; readonly role: Role }
  | { readonly kind: 'project'; readonly role: Role; readonly via?: Type<ProjectOfResource> }
  | { readonly kind: 'capability'; readonly capability: Capability; readonly via?: Type<ProjectOfResource> }
  | { readonly kind: 'api-key'; readonly scopes: readonly ApiKeyScopeName[] };

export const ACCESS = Symbol('access declaration');

export interface Requirement {
  /** Least organization role; the id is the route's `organization_id` in path, query or body. */
  organization?: Role;
  /** Least project role; the id is the route's `project_id` in path, query or body, unless `via` finds it. */
  project?: Role;
  /** What the person's project role must allow; the project is found as for `project`. */
  capability?: Capability;
  via?: Type<ProjectOfResource>;
}

/** A signed-in person, optionally with a role or capability in the organization or project the route names. */
export function Requires(requirement: Requirement = {}): MethodDecorator {
  const { organization, project, capability, via } = requirement;
  if (capability !== undefined) return declare({ kind: 'capability', capability, via }, ApiBearerAuth('bearer'));
  if (project !== undefined) return declare({ kind: 'project', role: project, via }, ApiBearerAuth('bearer'));
  if (organization !== undefined) return declare({ kind: 'organization', role: organization }, ApiBearerAuth('bearer'));
  return declare({ kind: 'bearer' }, ApiBearerAuth('bearer'));
}

/** An API key with any one of the scopes; with none named, any active key. */
export function ApiKey(...scopes: ApiKeyScopeName[]): MethodDecorator {
  return declare(
    { kind: 'api-key', scopes },
    ApiHeader({ name: 'X-API-Key', required: true, description: 'Project API key', schema: { type: 'string' } }),
  );
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

/** One line for the route table and the `x-access` extension: `project:viewer`, `capability:delivery:replay`. */
export function describeAccess(access: AccessDeclaration): string {
  switch (access.kind) {
    case 'project':
    case 'organization':
      return `${access.kind}:${access.role}`;
    case 'capability':
      return `capability:${access.capability}`;
    case 'api-key':
      return `api-key:${access.scopes.join('|') || 'any'}`;
    default:
      return access.kind;
  }
}

function declare(access: AccessDeclaration, ...documentation: MethodDecorator[]): MethodDecorator {
  return applyDecorators(
    SetMetadata(ACCESS, access),
    ApiExtension('x-access', describeAccess(access)),
    ...documentation,
  );
}
