/** Organization and project roles, weakest first (DECISIONS 3). */
export const ROLES = ['viewer', 'member', 'operator', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export function roleAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export const API_KEY_SCOPES = ['events:read', 'events:write'] as const;
export type ApiKeyScopeName = (typeof API_KEY_SCOPES)[number];

/** The signed-in person. First parameter of everything that is the account's own. */
export interface UserScope {
  readonly kind: 'user';
  readonly userId: string;
  readonly sessionId: string;
}

/** One organization, seen by a member of it. Queries of organization data require it by type. */
export interface OrganizationScope {
  readonly kind: 'organization';
  readonly organizationId: string;
  readonly userId: string;
  readonly role: Role;
}

/** What a query of project data needs, whoever asks: a person, a key or a worker. */
export interface ProjectScope {
  readonly projectId: string;
  readonly organizationId: string;
}

/** One project, seen by a member of it. */
export interface ProjectMemberScope extends ProjectScope {
  readonly kind: 'project';
  readonly userId: string;
  readonly sessionId: string;
  readonly role: Role;
}

/** One project, seen through an API key. */
export interface ApiKeyScope extends ProjectScope {
  readonly kind: 'api-key';
  readonly apiKeyId: string;
  readonly sourceId: string | null;
  readonly scopes: readonly ApiKeyScopeName[];
}

export type AccessScope = UserScope | OrganizationScope | ProjectMemberScope | ApiKeyScope;
