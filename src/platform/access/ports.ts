import type { ApiKeyScope, ApiKeyScopeName, Role, UserScope } from './scope.js';

/** Tells whose bearer token this is. Implemented by the auth module. */
export abstract class BearerAuthenticator {
  /** Null for anything that is not a living session's access token; throws only on faults of our own. */
  abstract authenticate(token: string): Promise<UserScope | null>;
}

/** Tells which project an API key opens. Implemented by the api-keys module. */
export abstract class ApiKeyAuthenticator {
  /**
   * @param needed any one of these scopes is enough; empty means any key.
   * @throws DomainError 401 for an unknown key, 403 for an inactive one or a missing scope.
   */
  abstract authenticate(key: string, needed: readonly ApiKeyScopeName[]): Promise<ApiKeyScope>;
}

export interface ProjectMembership {
  readonly organizationId: string;
  /** Null: the project exists but the person is no member of it. */
  readonly role: Role | null;
}

export interface OrganizationMembership {
  /** Null: the organization exists but the person is no member of it. */
  readonly role: Role | null;
}

/** Answers who belongs where. Implemented by the organizations and projects modules. Null: no such thing. */
export abstract class MembershipReader {
  abstract ofOrganization(userId: string, organizationId: string): Promise<OrganizationMembership | null>;
  abstract ofProject(userId: string, projectId: string): Promise<ProjectMembership | null>;
  /** The project a person works in; null: none, or none they still belong to. */
  abstract selectedProject(userId: string): Promise<string | null>;
}
