import type { IncomingHttpHeaders } from 'node:http';
import type { OrganizationId, ProjectId, UserId } from './ids.js';
import type { Credentialed } from './credentials.js';
import type { Db } from '../../platform/database/database.js';
import type { Role } from './roles.js';
import type { ApiKeyScope, ApiKeyScopeName, HookScope, ScimScope, UserScope } from './scope.js';

/** The claims of an access token that one of our keys signed, expired or not. */
export interface VerifiedToken {
  readonly userId: UserId;
  readonly sessionId: string;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

/** Authenticates bearer tokens. Implemented by the sessions module. */
export abstract class BearerAuthenticator {
  /** The name of the passport strategy that produces a {@link VerifiedToken} from a request. */
  abstract readonly strategy: string;
  /**
   * Returns null when the token has expired or its session has ended.
   * @param beforeSecondFactor whether the route is open to a session that lacks the second factor that the deployment
   * requires
   * @throws SecondFactorMissing
   */
  abstract admit(token: VerifiedToken, beforeSecondFactor: boolean): Promise<UserScope | null>;
}

/** Authenticates API keys and finds their project. Implemented by the api-keys module. */
export abstract class ApiKeyAuthenticator {
  /**
   * Returns the scope of the request's API key.
   * @param needed any one of these scopes is enough. An empty list accepts every active key
   * @throws DomainError 401 without a known key, 403 for an inactive key, a missing scope or an origin that the key
   * refuses
   */
  abstract authenticate(request: Credentialed, needed: readonly ApiKeyScopeName[]): Promise<ApiKeyScope>;
}

/** Finds the Event Source of a webhook by the address that it was sent to. Implemented by the sources module. */
export abstract class HookAuthenticator {
  /** @throws DomainError 404 for an unknown address, 403 while the source is disabled */
  abstract authenticate(request: Credentialed): Promise<HookScope>;
}

/** Finds the organization of an identity provider by its token. Implemented by the SCIM module. */
export abstract class ScimAuthenticator {
  /** @throws DomainError 401 without a valid token */
  abstract authenticate(request: Credentialed): Promise<ScimScope>;
}

/** Checks who administers the platform. Implemented by the billing module. */
export abstract class PlatformAdministrators {
  /** @throws DomainError 404 while administration is off, 500 when it is not configured, 403 for every other user */
  abstract admit(user: UserScope): Promise<void>;
  /** Returns false for everybody while administration is off or not configured. */
  abstract includes(user: UserScope): Promise<boolean>;
}

/** Authenticates requests of the payment provider. Implemented by the billing module. */
export abstract class ProviderAuthenticator {
  /**
   * Checks the headers before the body is read.
   * @throws DomainError 500 when the provider is not configured, 400 without a signature
   */
  abstract expect(headers: IncomingHttpHeaders): void;
  /** @throws DomainError 400 when the signature does not match the body */
  abstract authenticate(headers: IncomingHttpHeaders, body: Buffer): Promise<void>;
}

export interface ProjectMembership {
  readonly projectId: ProjectId;
  readonly organizationId: OrganizationId;
  /** Null when the project exists but the user is not a member of it. */
  readonly role: Role | null;
}

export interface OrganizationMembership {
  readonly organizationId: OrganizationId;
  /** Null when the organization exists but the user is not a member of it. */
  readonly role: Role | null;
}

/**
 * Reads the memberships of users. Implemented by the organizations and projects modules. A null result means that the
 * organization or project does not exist. The results contain ids that are safe to use as tenant ids, unlike the ids
 * that a request names.
 */
export abstract class MembershipReader {
  abstract ofOrganization(userId: UserId, organizationId: string): Promise<OrganizationMembership | null>;
  /**
   * @param userId the id of any user, such as one that a request names
   * @param tx the transaction whose locks protect the result
   */
  abstract ofProject(userId: string, projectId: string, tx?: Db): Promise<ProjectMembership | null>;
  /** Returns the project that the user has selected, or null when there is none or the user is no longer a member. */
  abstract selectedProject(userId: UserId): Promise<ProjectId | null>;
}
