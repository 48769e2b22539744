import {
  DateTimeField,
  EnumField,
  NameField,
  ObjectField,
  TextField,
  UuidField,
} from '../../../../platform/http/validation/index.js';
import { MAX_PANELS } from './dashboard-filters.js';
import { SAVED_VIEW_KINDS, type SavedViewKind } from '../../search-sources/index.js';
import type { SavedView } from './saved-view.entity.js';

const MAX_FILTERS_BYTES = 65_536;
const EXAMPLE = { range: '24h', severity: 'critical', event: 'payment.failed' };
const DASHBOARD = `A dashboard has \`panels\`, a list of at most ${MAX_PANELS} objects with \`id\`, \`title\`, \`question\` and \`layout\`, and optional \`variables\` and \`range\``;

const fits = (filters: Record<string, unknown>): string | undefined =>
  Buffer.byteLength(JSON.stringify(filters)) <= MAX_FILTERS_BYTES
    ? undefined
    : `filters must not take more than ${MAX_FILTERS_BYTES} bytes as JSON`;

export class SavedViewsQuery {
  @EnumField(SAVED_VIEW_KINDS, { optional: true, description: 'Only views of this kind' })
  kind?: SavedViewKind;
}

export class CreateSavedViewRequest {
  @NameField({ example: 'Failed payments', description: 'Unique in the project' })
  name!: string;

  @EnumField(SAVED_VIEW_KINDS, {
    optional: true,
    default: 'view',
    description: 'What the view shows; it cannot be changed later',
  })
  kind!: SavedViewKind;

  @ObjectField({
    optional: true,
    default: {},
    check: fits,
    example: EXAMPLE,
    description: `Whatever the client filters by, at most ${MAX_FILTERS_BYTES} bytes as JSON. ${DASHBOARD}`,
  })
  filters!: Record<string, unknown>;
}

export class ChangeSavedViewRequest {
  @NameField({ optional: true, description: 'Name of the view' })
  name?: string;

  @EnumField(SAVED_VIEW_KINDS, { optional: true, description: 'Cannot be changed: the kind it has' })
  kind?: SavedViewKind;

  @ObjectField({ optional: true, check: fits, example: EXAMPLE, description: `Replaced whole. ${DASHBOARD}` })
  filters?: Record<string, unknown>;

  @DateTimeField({
    optional: true,
    description: 'The `updated_at` that the change is based on, to the millisecond; another one is refused with 409',
  })
  if_updated_at?: Date;
}

export class SavedViewResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Name of the view' })
  name!: string;

  @EnumField(SAVED_VIEW_KINDS, { optional: true, description: 'What the view shows' })
  kind?: SavedViewKind;

  @ObjectField({ description: 'Whatever the client filters by, as it was stored' })
  filters!: Record<string, unknown>;

  @UuidField({ nullable: true, description: 'Null: that account is gone' })
  created_by!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'When it was last changed; every change makes it later' })
  updated_at!: string;
}

export function savedViewResponse(view: SavedView): SavedViewResponse {
  return {
    id: view.id,
    project_id: view.projectId,
    name: view.name,
    kind: view.kind,
    filters: view.filters,
    created_by: view.createdBy,
    created_at: view.createdAt.toISOString(),
    updated_at: view.updatedAt.toISOString(),
  };
}
