import { newId } from '../../platform/ids/index.js';

declare const OF: unique symbol;

/**
 * A tenant's id, which is a plain string at run time. Guards create one after the access check, loaders create one from
 * a row, and code that creates a tenant generates one. The type keeps out ids that a request merely names, and ids of
 * another kind of tenant.
 */
type TenantId<Kind> = string & { readonly [OF]: Kind };

export type ProjectId = TenantId<'project'>;
export type OrganizationId = TenantId<'organization'>;
export type UserId = TenantId<'user'>;

export function newProjectId(): ProjectId {
  return asProjectId(newId());
}

export function newOrganizationId(): OrganizationId {
  return asOrganizationId(newId());
}

export function newUserId(): UserId {
  return asUserId(newId());
}

/**
 * Casts an id that the service itself has stored: in a row, a notification, a job or a signed token. Never use this for
 * an id that a request names.
 */
export function asProjectId(id: string): ProjectId {
  return id as ProjectId;
}

/** Casts the id of an organization, under the same rule as {@link asProjectId}. */
export function asOrganizationId(id: string): OrganizationId {
  return id as OrganizationId;
}

/** Casts the id of a user, under the same rule as {@link asProjectId}. */
export function asUserId(id: string): UserId {
  return id as UserId;
}
