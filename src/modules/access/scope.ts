import type { OrganizationId, ProjectId, UserId } from './ids.js';
import type { Capability } from './capabilities.js';
import type { Role } from './roles.js';

export const API_KEY_SCOPES = ['events:read', 'events:write'] as const;
export type ApiKeyScopeName = (typeof API_KEY_SCOPES)[number];

/** The signed-in person. First parameter of everything that is the account's own. */
export interface UserScope {
  readonly kind: 'user';
  readonly userId: UserId;
  readonly sessionId: string;
}

/** What a person's role in a project must be at least, or must allow. */
export type ProjectRequirement = { readonly role: Role } | { readonly capability: Capability };

/** One organization, seen by a member of it. Queries of organization data require it by type. */
export interface OrganizationScope {
  readonly kind: 'organization';
  readonly organizationId: OrganizationId;
  readonly userId: UserId;
  readonly role: Role;
  /** What the route asked for at least; an act asks again when it has waited for its turn. */
  readonly needed: Role;
}

/** What a query of project data needs, whoever asks: a person, a key or a worker. */
export interface ProjectScope {
  readonly projectId: ProjectId;
  readonly organizationId: OrganizationId;
}

/** One project, seen by a member of it. */
export interface ProjectMemberScope extends ProjectScope {
  readonly kind: 'project';
  readonly userId: UserId;
  readonly sessionId: string;
  readonly role: Role;
  /** What the route asked for; an act asks again when it has waited for its turn. */
  readonly needed: ProjectRequirement;
}

/** Things of any projects, of which the request names many: each is judged by itself. */
export interface EachProjectScope {
  readonly kind: 'each';
  readonly userId: UserId;
  readonly sessionId: string;
  /** The project of one thing, as the route of the single thing would see it. @throws DomainError as that would answer */
  memberOf(id: string): Promise<ProjectMemberScope>;
}

/** One project, seen through an API key. */
export interface ApiKeyScope extends ProjectScope {
  readonly kind: 'api-key';
  readonly apiKeyId: string;
  readonly sourceId: string | null;
  readonly scopes: readonly ApiKeyScopeName[];
}

export type AccessScope = UserScope | OrganizationScope | ProjectMemberScope | EachProjectScope | ApiKeyScope;
