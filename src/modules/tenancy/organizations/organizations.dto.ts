import { DateTimeField, TextField, UuidField, NameField } from '../../../platform/http/fields/index.js';
import type { Organization } from './organization.entity.js';

/** Slugs of organizations and projects. */
export const SLUG_PATTERN = /^[a-z0-9-]+$/;

export class CreateOrganizationRequest {
  @NameField({ example: 'Acme' })
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

  @TextField({})
  name!: string;

  @TextField({})
  slug!: string;

  @UuidField({})
  owner_id!: string;

  @DateTimeField({})
  created_at!: string;
}

export function organizationResponse(organization: Organization): OrganizationResponse {
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    owner_id: organization.ownerId,
    created_at: organization.createdAt.toISOString(),
  };
}
