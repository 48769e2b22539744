import type { GroupOfUser } from '../group-members/scim-group-members.repository.js';
import { projected, type Projection } from '../queries/projection.js';
import type { StoredScimUser } from './scim-users.repository.js';
import type { UserDocument } from './user-document.js';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** Returns the version of a user. It also changes when somebody else ends or creates the membership. */
export function etagOfUser({ version, isMember }: Pick<StoredScimUser, 'version' | 'isMember'>): string {
  return `W/"${version}${isMember ? '' : '-inactive'}"`;
}

/**
 * Returns a user as a SCIM resource.
 * @param base the base URL of the SCIM routes, without a trailing slash
 */
export function userResource(
  user: StoredScimUser,
  groups: readonly GroupOfUser[],
  base: string,
  projection: Projection,
): object {
  const { id, externalId, displayName } = user;
  const name = withoutNulls({
    formatted: user.formattedName,
    givenName: user.givenName,
    familyName: user.familyName,
  });
  const resource = {
    schemas: [USER_SCHEMA],
    id,
    ...withoutNulls({ externalId, userName: user.userName, displayName }),
    ...(Object.keys(name).length > 0 && { name }),
    active: user.isMember,
    ...(user.emails.length > 0 && { emails: user.emails }),
    ...(groups.length > 0 && {
      groups: groups.map((group) => ({
        value: group.id,
        $ref: `${base}/Groups/${group.id}`,
        display: group.displayName,
        type: 'direct',
      })),
    }),
    meta: {
      resourceType: 'User',
      created: user.createdAt.toISOString(),
      lastModified: user.updatedAt.toISOString(),
      location: `${base}/Users/${id}`,
      version: etagOfUser(user),
    },
  };
  return projected(resource, projection);
}

/**
 * Returns a stored user in the form to which PATCH operations apply. Its `active` is null until an operation sets it.
 */
export function documentOfStored(user: StoredScimUser): UserDocument {
  return {
    userName: user.userName,
    externalId: user.externalId,
    displayName: user.displayName,
    active: null,
    name: { givenName: user.givenName, familyName: user.familyName, formatted: user.formattedName },
    emails: user.emails.map((email) => ({ ...email })),
  };
}

function withoutNulls(values: Readonly<Record<string, string | null>>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
