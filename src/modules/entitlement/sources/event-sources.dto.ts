import {
  BooleanField,
  DateTimeField,
  EnumField,
  NestedField,
  TextField,
  UuidField,
  NameField,
} from '../../../platform/http/fields/index.js';
import { CreatedApiKeyResponse } from '../api-keys/index.js';
import { SOURCE_TYPES, type SourceType } from './event-source.entity.js';
import type { SeenEventSource } from './event-sources.reader.js';

const NAME = { example: 'Checkout service' };
const DESCRIPTION = { max: 2000, optional: true, nullable: true, example: 'Sends orders and refunds' };

export class CreateEventSourceRequest {
  @UuidField({})
  project_id!: string;

  @NameField({ ...NAME, description: 'Name of the Event Source' })
  name!: string;

  @EnumField(SOURCE_TYPES, { optional: true, default: 'http', description: 'What it is; changes nothing by itself' })
  type!: SourceType;

  @TextField({ ...DESCRIPTION, description: 'What it is for, in words' })
  description?: string | null;

  @BooleanField({ optional: true, default: true, description: 'False: it is switched off' })
  is_enabled!: boolean;
}

export class ChangeEventSourceRequest {
  @NameField({ ...NAME, optional: true, description: 'Name of the Event Source' })
  name?: string;

  @EnumField(SOURCE_TYPES, { optional: true, description: 'What kind of sender it stands for' })
  type?: SourceType;

  @TextField({ ...DESCRIPTION, description: 'Null takes it away' })
  description?: string | null;

  @BooleanField({ optional: true, description: 'As `enable` and `disable` do' })
  is_enabled?: boolean;
}

export class EventSourceResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Name of the Event Source' })
  name!: string;

  @EnumField(SOURCE_TYPES, { description: 'What kind of sender it stands for' })
  type!: SourceType;

  @BooleanField({ description: 'False: its keys are refused at ingestion' })
  is_enabled!: boolean;

  @TextField({ nullable: true, description: 'What it is for, in words' })
  description!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true, description: 'Null: no event has ever come by this source' })
  last_event_at!: string | null;
}

export class CreatedEventSourceResponse extends EventSourceResponse {
  @NestedField(() => CreatedApiKeyResponse, { description: 'Its first key, with the scope events:write' })
  key!: CreatedApiKeyResponse;
}

export function eventSourceResponse({ lastEventAt, ...source }: SeenEventSource): EventSourceResponse {
  return {
    id: source.id,
    project_id: source.projectId,
    name: source.name,
    type: source.type,
    is_enabled: source.isEnabled,
    description: source.description,
    created_at: source.createdAt.toISOString(),
    last_event_at: lastEventAt?.toISOString() ?? null,
  };
}
