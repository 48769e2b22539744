import { DateTimeField, TextField, UuidField, NameField } from '../../../platform/http/validation/index.js';
import type { Organization } from './organization.entity.js';

/**
 * The form of slugs of organizations and projects: characters that need no escaping in URLs. A slug that consists only
 * of dots and dashes is refused, because it could be a path segment such as `..`, or be hard to see.
 */
export const SLUG_PATTERN = /^[.-]*[A-Za-z0-9_~][A-Za-z0-9_.~-]*$/;

export class CreateOrganizationRequest {
  @NameField({ example: 'Acme', description: 'Name of the organization' })
  name!: string;

  @TextField({
    min: 1,
    max: 200,
    pattern: SLUG_PATTERN,
    example: 'acme',
    description: 'Unique among all organizations, in upper and lower case; kept as given',
  })
  slug!: string;
}

export class OrganizationResponse {
  @UuidField({})
  id!: string;

  @TextField({ description: 'Name of the organization' })
  name!: string;

  @TextField({ description: 'Its name in addresses, of `A-Z a-z 0-9 - _ . ~`' })
  slug!: string;

  @UuidField({ description: 'The person it belongs to' })
  owner_id!: string;

  @DateTimeField({})
  created_at!: string;
}

export function organizationResponse(
  organization: Pick<Organization, 'id' | 'name' | 'slug' | 'ownerId' | 'createdAt'>,
): OrganizationResponse {
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    owner_id: organization.ownerId,
    created_at: organization.createdAt.toISOString(),
  };
}
