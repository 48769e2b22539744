import { DateTimeField, TextField, UuidField, NameField } from '../../../platform/http/fields/index.js';
import type { Organization } from './organization.entity.js';

/** Slugs of organizations and projects. */
export const SLUG_PATTERN = /^[a-z0-9-]+$/;

export class CreateOrganizationRequest {
  @NameField({ example: 'Acme', description: 'Name of the organization' })
  name!: string;

  @TextField({
    min: 1,
    max: 200,
    pattern: SLUG_PATTERN,
    example: 'acme',
    description: 'Unique among all organizations',
  })
  slug!: string;
}

export class OrganizationResponse {
  @UuidField({})
  id!: string;

  @TextField({ description: 'Name of the organization' })
  name!: string;

  @TextField({ description: 'Its name in addresses, of a-z, 0-9 and `-`' })
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
