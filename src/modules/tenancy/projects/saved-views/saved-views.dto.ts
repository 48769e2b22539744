import { DateTimeField, ObjectField, TextField, UuidField, NameField } from '../../../../platform/http/fields/index.js';
import type { SavedView } from './saved-view.entity.js';

const MAX_FILTERS_BYTES = 10_000;
const EXAMPLE = { range: '24h', severity: 'critical', event: 'payment.failed' };

const fits = (filters: Record<string, unknown>): string | undefined =>
  Buffer.byteLength(JSON.stringify(filters)) <= MAX_FILTERS_BYTES
    ? undefined
    : `filters must not take more than ${MAX_FILTERS_BYTES} bytes as JSON`;

export class CreateSavedViewRequest {
  @NameField({ example: 'Failed payments', description: 'Unique in the project' })
  name!: string;

  @ObjectField({
    optional: true,
    default: {},
    check: fits,
    example: EXAMPLE,
    description: `Whatever the client filters by, at most ${MAX_FILTERS_BYTES} bytes as JSON`,
  })
  filters!: Record<string, unknown>;
}

export class ChangeSavedViewRequest {
  @NameField({ optional: true, description: 'Name of the view' })
  name?: string;

  @ObjectField({ optional: true, check: fits, example: EXAMPLE, description: 'Replaced whole' })
  filters?: Record<string, unknown>;
}

export class SavedViewResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Name of the view' })
  name!: string;

  @ObjectField({ description: 'Whatever the client filters by, as it was stored' })
  filters!: Record<string, unknown>;

  @UuidField({ nullable: true, description: 'Null: that account is gone' })
  created_by!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'When it was last changed' })
  updated_at!: string;
}

export function savedViewResponse(view: SavedView): SavedViewResponse {
  return {
    id: view.id,
    project_id: view.projectId,
    name: view.name,
    filters: view.filters,
    created_by: view.createdBy,
    created_at: view.createdAt.toISOString(),
    updated_at: view.updatedAt.toISOString(),
  };
}
