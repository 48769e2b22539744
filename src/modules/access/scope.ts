import type { OrganizationId, ProjectId, UserId } from './ids.js';
import type { Capability } from './capabilities.js';
import type { Role } from './roles.js';

export const API_KEY_SCOPES = ['events:read', 'events:write'] as const;
export type ApiKeyScopeName = (typeof API_KEY_SCOPES)[number];

/** The signed-in user. This scope is the first parameter of every method that handles the account's own data. */
export interface UserScope {
  readonly kind: 'user';
  readonly userId: UserId;
  readonly sessionId: string;
}

/** The minimum role of a project member, or the capability that their role must have. */
export type ProjectRequirement = { readonly role: Role } | { readonly capability: Capability };

/**
 * One organization, accessed by a member of it. Methods that query data of organizations require this scope as a
 * parameter.
 */
export interface OrganizationScope {
  readonly kind: 'organization';
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  readonly role: Role;
  /** The minimum role that the route requires. An operation that has waited for a lock checks the role again. */
  readonly needed: Role;
}

/** The ids that a query of project data needs, for a user, an API key or a worker. */
export interface ProjectScope {
  readonly projectId: ProjectId;
  readonly organizationId: OrganizationId;
}

/** One project, accessed by a member of it. */
export interface ProjectMemberScope extends ProjectScope {
  readonly kind: 'project';
  readonly userId: UserId;
  readonly sessionId: string;
  readonly role: Role;
  /** The role or capability that the route requires. An operation that has waited for a lock checks it again. */
  readonly needed: ProjectRequirement;
}

/**
 * The scope of a request that names several resources, which may belong to different projects. Access is checked for
 * each resource.
 */
export interface EachProjectScope {
  readonly kind: 'each';
  readonly userId: UserId;
  readonly sessionId: string;
  /**
   * Returns the scope for the project of one resource. Access is checked as on a route for this resource alone.
   * @throws DomainError with the error that such a route would return
   */
  memberOf(id: string): Promise<ProjectMemberScope>;
}

/** One project, accessed with an API key. */
export interface ApiKeyScope extends ProjectScope {
  readonly kind: 'api-key';
  readonly apiKeyId: string;
  readonly sourceId: string | null;
  readonly scopes: readonly ApiKeyScopeName[];
}

/** The Event Source of a webhook, identified by the secret address that the webhook was sent to. */
export interface HookScope extends ProjectScope {
  readonly kind: 'hook';
  readonly sourceId: string;
}

/** One organization, accessed by its identity provider with a token for SCIM. */
export interface ScimScope {
  readonly kind: 'scim';
  readonly organizationId: OrganizationId;
  readonly tokenId: string;
}

export type AccessScope =
  UserScope | OrganizationScope | ProjectMemberScope | EachProjectScope | ApiKeyScope | HookScope | ScimScope;
