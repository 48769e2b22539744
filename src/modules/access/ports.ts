import type { IncomingHttpHeaders } from 'node:http';
import type { OrganizationId, ProjectId, UserId } from './ids.js';
import type { Credentialed } from './credentials.js';
import type { Db } from '../../platform/database/database.js';
import type { Role } from './roles.js';
import type { ApiKeyScope, ApiKeyScopeName, UserScope } from './scope.js';

/** What an access token says that one of our keys signed, expired or not. */
export interface VerifiedToken {
  readonly userId: UserId;
  readonly sessionId: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Tells whose bearer token a request carries. Implemented by the sessions module. */
export abstract class BearerAuthenticator {
  /** The name of the passport strategy that makes a {@link VerifiedToken} of the request's. */
  abstract readonly strategy: string;
  /** Null when the token has expired or its session has ended; throws only on faults of our own. */
  abstract admit(token: VerifiedToken): Promise<UserScope | null>;
}

/** Tells which project the API key of a request opens. Implemented by the api-keys module. */
export abstract class ApiKeyAuthenticator {
  /**
   * @param needed any one of these scopes is enough; empty means any key.
   * @throws DomainError 401 without a known key, 403 for an inactive one, a missing scope or a foreign origin.
   */
  abstract authenticate(request: Credentialed, needed: readonly ApiKeyScopeName[]): Promise<ApiKeyScope>;
}

/** Tells who administers the platform. Implemented by the billing module. */
export abstract class PlatformAdministrators {
  /** @throws DomainError 404 while administration is off, 500 when it is not configured, 403 for anybody else */
  abstract admit(user: UserScope): Promise<void>;
}

/** Tells whether a request comes from the payment provider. Implemented by the billing module. */
export abstract class ProviderAuthenticator {
  /** Before the body is read. @throws DomainError 500 when the provider is not configured, 400 without a signature */
  abstract expect(headers: IncomingHttpHeaders): void;
  /** @throws DomainError 400 when the signature is not that of the body */
  abstract authenticate(headers: IncomingHttpHeaders, body: Buffer): Promise<void>;
}

export interface ProjectMembership {
  readonly projectId: ProjectId;
  readonly organizationId: OrganizationId;
  /** Null: the project exists but the person is no member of it. */
  readonly role: Role | null;
}

export interface OrganizationMembership {
  readonly organizationId: OrganizationId;
  /** Null: the organization exists but the person is no member of it. */
  readonly role: Role | null;
}

/**
 * Answers who belongs where. Implemented by the organizations and projects modules. Null: no such thing. Its answers hold the
 * ids of tenants that requests only name.
 */
export abstract class MembershipReader {
  abstract ofOrganization(userId: UserId, organizationId: string): Promise<OrganizationMembership | null>;
  /** @param userId of anybody, such as whom a request names. @param tx under the locks that it holds */
  abstract ofProject(userId: string, projectId: string, tx?: Db): Promise<ProjectMembership | null>;
  /** The project a person works in; null: none, or none they still belong to. */
  abstract selectedProject(userId: UserId): Promise<ProjectId | null>;
}
