import type { MemberOfGroup } from '../group-members/scim-group-members.repository.js';
import { projected, type Projection } from '../queries/projection.js';
import type { StoredScimGroup } from './scim-groups.repository.js';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export function etagOfGroup({ version }: Pick<StoredScimGroup, 'version'>): string {
  return `W/"${version}"`;
}

/**
 * Returns a group as a SCIM resource.
 * @param base the base URL of the SCIM routes, without a trailing slash
 */
export function groupResource(
  group: StoredScimGroup,
  members: readonly MemberOfGroup[],
  base: string,
  projection: Projection,
): object {
  const { id, displayName, externalId } = group;
  const resource = {
    schemas: [GROUP_SCHEMA],
    id,
    ...(externalId !== null && { externalId }),
    displayName,
    members: members.map(({ userId, display }) => ({
      value: userId,
      $ref: `${base}/Users/${userId}`,
      display,
      type: 'User',
    })),
    meta: {
      resourceType: 'Group',
      created: group.createdAt.toISOString(),
      lastModified: group.updatedAt.toISOString(),
      location: `${base}/Groups/${id}`,
      version: etagOfGroup(group),
    },
  };
  return projected(resource, projection);
}
