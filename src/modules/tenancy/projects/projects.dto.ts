import { DateTimeField, TextField, UuidField, NameField } from '../../../platform/http/validation/index.js';
import { SLUG_PATTERN } from '../organizations/index.js';
import type { Project } from './project.entity.js';

export class CreateProjectRequest {
  @UuidField({ description: 'The organization that it will belong to' })
  organization_id!: string;

  @NameField({ example: 'Web shop', description: 'Name of the project' })
  name!: string;

  @TextField({
    min: 1,
    max: 200,
    pattern: SLUG_PATTERN,
    example: 'web-shop',
    description: 'Unique in its organization, in upper and lower case; kept as given',
  })
  slug!: string;
}

export class RenameProjectRequest {
  @NameField({ optional: true, description: 'Name of the project' })
  name?: string;

  @TextField({
    min: 1,
    max: 200,
    pattern: SLUG_PATTERN,
    optional: true,
    description: 'Unique in its organization, in upper and lower case; kept as given',
  })
  slug?: string;
}

export class SelectProjectRequest {
  @UuidField({})
  project_id!: string;
}

export class ProjectResponse {
  @UuidField({})
  id!: string;

  @UuidField({ description: 'The organization that it belongs to' })
  organization_id!: string;

  @TextField({ description: 'Name of the project' })
  name!: string;

  @TextField({ description: 'Its name in addresses, of `A-Z a-z 0-9 - _ . ~`' })
  slug!: string;

  @UuidField({ description: 'The person it belongs to' })
  owner_id!: string;

  @DateTimeField({})
  created_at!: string;
}

export class ProjectStateResponse extends ProjectResponse {
  @DateTimeField({ nullable: true, description: 'Null: the project takes events' })
  archived_at!: string | null;
}

export function projectResponse(project: Project): ProjectResponse {
  return {
    id: project.id,
    organization_id: project.organizationId,
    name: project.name,
    slug: project.slug,
    owner_id: project.ownerId,
    created_at: project.createdAt.toISOString(),
  };
}

export function projectStateResponse(project: Project): ProjectStateResponse {
  return { ...projectResponse(project), archived_at: project.archivedAt?.toISOString() ?? null };
}
