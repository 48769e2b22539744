import { asOrganizationId, asUserId, type OrganizationId, type UserId } from '../../access/index.js';
import { parseUuid } from '../../../platform/http/validation/index.js';

/**
 * Checkouts write one of these values as `billing_scope` into the metadata of sessions and subscriptions. The value
 * says whether an organization or a person pays.
 */
export const ORGANIZATION_SCOPE = 'organization';
export const PRE_WORKSPACE_SCOPE = 'pre_workspace';

export type NamedHolder = { readonly organizationId: OrganizationId } | { readonly userId: UserId };

/** Returns the organization or person that the metadata of a checkout names. Null when the metadata names nobody. */
export function holderNamedBy(metadata: Readonly<Record<string, string>>): NamedHolder | null {
  const { billing_scope: scope, organization_id: organization, user_id: user } = metadata;
  const organizationId = organization === undefined ? null : parseUuid(organization);
  if (organizationId !== null && scope !== PRE_WORKSPACE_SCOPE)
    return { organizationId: asOrganizationId(organizationId) };
  const userId = user === undefined ? null : parseUuid(user);
  return userId !== null && scope !== ORGANIZATION_SCOPE ? { userId: asUserId(userId) } : null;
}
