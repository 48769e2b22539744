import { newId } from '../../platform/ids/index.js';

declare const OF: unique symbol;

/**
 * A tenant's id, at run time a string like any other. Guards make one of what a caller may see, loaders of a row, and whoever
 * begins a tenant of nothing. An id that a request only names is none, and one kind is not taken for another.
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

/** For what comes back from where it was put: a row, a notice, a job, a signed token. Never for what a request names. */
export function asProjectId(id: string): ProjectId {
  return id as ProjectId;
}

/** As {@link asProjectId}. */
export function asOrganizationId(id: string): OrganizationId {
  return id as OrganizationId;
}

/** As {@link asProjectId}. */
export function asUserId(id: string): UserId {
  return id as UserId;
}
