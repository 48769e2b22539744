import { ApiExtraModels } from '@nestjs/swagger';
import {
  BooleanField,
  ConstantField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  ObjectField,
  TextField,
  UuidField,
  NameField,
} from '../../../../platform/http/validation/index.js';
import {
  ANY_CONFIGURATION,
  CHANNEL_TYPES,
  type ChannelType,
  CONFIGURATION_CLASSES,
  configurationByType,
} from '../drivers/channel-drivers.js';
import type { DeliveryChannel } from './channel.entity.js';
import {
  HEADER_NAME_LENGTH,
  headerNameFault,
  headerValueFault,
  MOST_HEADERS,
  PROTECTED_VALUE_LENGTH,
} from '../drivers/header-rules.js';
import type { ProtectedHeader } from './protected-header.entity.js';

/** Shown in place of every protected value. */
const MASKED = '********';

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
  @TextField({
    min: 1,
    max: HEADER_NAME_LENGTH,
    check: headerNameFault,
    example: 'Authorization',
    description: 'Of the header; in any case the same one',
  })
  name!: string;

  @TextField(VALUE)
  value!: string;
}

export class RotateProtectedHeaderRequest {
  @TextField(VALUE)
  value!: string;
}

@ApiExtraModels(...CONFIGURATION_CLASSES)
export class CreateChannelRequest {
  @UuidField({})
  project_id!: string;

  @NameField({ example: 'On call', description: 'Name of the channel' })
  name!: string;

  @EnumField(CHANNEL_TYPES, { description: 'What it sends, and which configuration it takes' })
  type!: ChannelType;

  @BooleanField({ optional: true, default: true, description: 'False: it is switched off' })
  enabled!: boolean;

  @ObjectField({
    optional: true,
    default: {},
    document: configurationByType((kind) => `Create${kind}ChannelRequest`),
    description: 'Where and how it sends',
  })
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
  @NameField({ optional: true, description: 'Name of the channel' })
  name?: string;

  @BooleanField({ optional: true, description: 'False: it is switched off' })
  enabled?: boolean;

  @ObjectField({
    optional: true,
    document: ANY_CONFIGURATION,
    description: 'That of the type of the channel; replaced whole',
  })
  configuration?: Record<string, unknown>;

  @ListField(nested(() => ProtectedHeaderRequest), {
    max: MOST_HEADERS,
    optional: true,
    description: 'A new name is added, an existing one rotated; those left out stay',
  })
  protected_headers?: ProtectedHeaderRequest[];

  @BooleanField({
    optional: true,
    description:
      'True makes a new signing secret, which the answer shows once; the previous one also signs for 24 hours. Webhooks only',
  })
  rotate_signing_secret?: boolean;
}

export class ProtectedHeaderResponse {
  @TextField({ example: 'Authorization', description: 'Of the header' })
  name!: string;

  @BooleanField({ description: 'Always true: a header without value is none' })
  configured!: boolean;

  @ConstantField(MASKED, { description: 'The same for every value' })
  masked_value!: typeof MASKED;

  @IntField({ min: 1, description: '1 when it was added; each rotation raises it by one' })
  key_version!: number;

  @DateTimeField({ description: 'When the value was last set' })
  last_rotated_at!: string;
}

export class RemovedProtectedHeaderResponse {
  @TextField({ description: 'Of the header that was removed' })
  name!: string;
}

export class ChannelResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({ description: 'Name of the channel' })
  name!: string;

  @EnumField(CHANNEL_TYPES, { description: 'What it sends, and which configuration it has' })
  type!: ChannelType;

  @BooleanField({ description: 'False: it is switched off' })
  enabled!: boolean;

  @ObjectField({ document: configurationByType((kind) => `${kind}Channel`), description: 'Where and how it sends' })
  configuration!: Record<string, unknown>;

  @ListField(nested(() => ProtectedHeaderResponse), { description: 'Headers with credentials: names alone' })
  protected_headers!: ProtectedHeaderResponse[];

  @BooleanField({ description: 'Whether its webhooks are signed' })
  has_signing_secret!: boolean;

  @TextField({
    optional: true,
    description:
      'Signs webhooks, as Standard Webhooks says: `whsec_` and the base64 of the key. Only in the answer to the request that made it',
  })
  signing_secret?: string;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'When it was last changed' })
  updated_at!: string;
}

export function protectedHeaderResponse({ name, version, lastRotatedAt }: ProtectedHeader): ProtectedHeaderResponse {
  return {
    name,
    configured: true,
    masked_value: MASKED,
    key_version: version,
    last_rotated_at: lastRotatedAt.toISOString(),
  };
}

/** @param newSecret the signing secret that the request has made, which no other answer shows */
export function channelResponse(
  channel: DeliveryChannel,
  headers: readonly ProtectedHeader[],
  newSecret?: string,
): ChannelResponse {
  return {
    id: channel.id,
    project_id: channel.projectId,
    name: channel.name,
    type: channel.type,
    enabled: channel.enabled,
    configuration: { ...channel.configuration },
    protected_headers: headers.map(protectedHeaderResponse),
    has_signing_secret: channel.signingSecret !== null,
    ...(newSecret !== undefined && { signing_secret: newSecret }),
    created_at: channel.createdAt.toISOString(),
    updated_at: channel.updatedAt.toISOString(),
  };
}
