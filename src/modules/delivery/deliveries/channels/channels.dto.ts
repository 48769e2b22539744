import {
  BooleanField,
  DateTimeField,
  EnumField,
  ListField,
  nested,
  ObjectField,
  TextField,
  UuidField,
  NameField,
} from '../../../../platform/http/fields/index.js';
import { CHANNEL_TYPES, type ChannelType, CONFIGURATION_SUMMARY } from '../drivers/channel-drivers.js';
import type { DeliveryChannel } from './channel.entity.js';
import {
  HEADER_NAME_LENGTH,
  headerNameFault,
  headerValueFault,
  MOST_HEADERS,
  PROTECTED_VALUE_LENGTH,
} from '../drivers/header-rules.js';
import type { ProtectedHeader } from './protected-header.entity.js';

export class ProjectOfDeliveryQuery {
  @UuidField({})
  project_id!: string;
}

const VALUE = {
  min: 1,
  max: PROTECTED_VALUE_LENGTH,
  secret: true,
  check: headerValueFault,
  description: '`{{secret:NAME}}` in it becomes the value of that secret when it is sent',
};

export class ProtectedHeaderRequest {
  @TextField({ min: 1, max: HEADER_NAME_LENGTH, check: headerNameFault, example: 'Authorization' })
  name!: string;

  @TextField(VALUE)
  value!: string;
}

export class RotateProtectedHeaderRequest {
  @TextField(VALUE)
  value!: string;
}

export class CreateChannelRequest {
  @UuidField({})
  project_id!: string;

  @NameField({ example: 'On call' })
  name!: string;

  @EnumField(CHANNEL_TYPES, {})
  type!: ChannelType;

  @BooleanField({ optional: true, default: true })
  enabled!: boolean;

  @ObjectField({ optional: true, default: {}, description: CONFIGURATION_SUMMARY })
  configuration!: Record<string, unknown>;

  @ListField(nested(() => ProtectedHeaderRequest), {
    max: MOST_HEADERS,
    optional: true,
    default: [],
    description: 'Of webhooks only; encrypted, never answered',
  })
  protected_headers!: ProtectedHeaderRequest[];
}

export class UpdateChannelRequest {
  @NameField({ optional: true })
  name?: string;

  @BooleanField({ optional: true })
  enabled?: boolean;

  @ObjectField({ optional: true, description: `Replaced whole. ${CONFIGURATION_SUMMARY}` })
  configuration?: Record<string, unknown>;

  @ListField(nested(() => ProtectedHeaderRequest), {
    max: MOST_HEADERS,
    optional: true,
    description: 'A new name is added, an existing one rotated; those left out stay',
  })
  protected_headers?: ProtectedHeaderRequest[];
}

export class ProtectedHeaderResponse {
  @TextField({ example: 'Authorization' })
  name!: string;

  @BooleanField({})
  configured!: boolean;

  @TextField({ description: 'The same for every value' })
  masked_value!: string;

  @DateTimeField({})
  last_rotated_at!: string;
}

export class RemovedProtectedHeaderResponse {
  @TextField({})
  name!: string;
}

export class ChannelResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({})
  name!: string;

  @EnumField(CHANNEL_TYPES, {})
  type!: ChannelType;

  @BooleanField({})
  enabled!: boolean;

  @ObjectField({ description: CONFIGURATION_SUMMARY })
  configuration!: Record<string, unknown>;

  @ListField(nested(() => ProtectedHeaderResponse), {})
  protected_headers!: ProtectedHeaderResponse[];

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({})
  updated_at!: string;
}

export function protectedHeaderResponse({ name, lastRotatedAt }: ProtectedHeader): ProtectedHeaderResponse {
  return { name, configured: true, masked_value: '********', last_rotated_at: lastRotatedAt.toISOString() };
}

export function channelResponse(channel: DeliveryChannel, headers: readonly ProtectedHeader[]): ChannelResponse {
  return {
    id: channel.id,
    project_id: channel.projectId,
    name: channel.name,
    type: channel.type,
    enabled: channel.enabled,
    configuration: { ...channel.configuration },
    protected_headers: headers.map(protectedHeaderResponse),
    created_at: channel.createdAt.toISOString(),
    updated_at: channel.updatedAt.toISOString(),
  };
}
