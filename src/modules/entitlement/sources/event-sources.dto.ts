import {
  BooleanField,
  DateTimeField,
  EnumField,
  NestedField,
  TextField,
  UuidField,
  NameField,
} from '../../../platform/http/validation/index.js';
import { type ProjectMemberScope, roleAtLeast } from '../../access/index.js';
import { CreatedApiKeyResponse } from '../api-keys/index.js';
import { SOURCE_TYPES, type SourceType } from './event-source.entity.js';
import type { SeenEventSource, SeenHook } from './event-sources.reader.js';
import { HookVerificationRequest, HookVerificationResponse } from './hooks/hook-verification.dto.js';

const NAME = { example: 'Checkout service' };
const VERIFICATION = 'Of type `webhook` only: how webhooks are verified';
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

  @NestedField(() => HookVerificationRequest, {
    optional: true,
    nullable: true,
    description: `${VERIFICATION}. Left out or null: by the secret address alone`,
  })
  verification?: HookVerificationRequest | null;
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

  @NestedField(() => HookVerificationRequest, {
    optional: true,
    nullable: true,
    description: `${VERIFICATION}. Replaced whole; null removes it with its secret`,
  })
  verification?: HookVerificationRequest | null;

  @BooleanField({
    optional: true,
    description: 'Of type `webhook` only. True: the source gets a new `hook_url`, and the old one stops working',
  })
  rotate_hook?: boolean;
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

  @TextField({
    optional: true,
    nullable: true,
    description: 'Of type `webhook` only: where webhooks are sent. It is a credential: null for roles below admin',
  })
  hook_url?: string | null;

  @NestedField(() => HookVerificationResponse, { optional: true, description: VERIFICATION })
  verification?: HookVerificationResponse;

  @BooleanField({ optional: true, description: 'Of type `webhook` only: whether webhooks are verified by a secret' })
  has_verification_secret?: boolean;
}

export class CreatedEventSourceResponse extends EventSourceResponse {
  @NestedField(() => CreatedApiKeyResponse, { description: 'Its first key, with the scope events:write' })
  key!: CreatedApiKeyResponse;
}

/**
 * @param scope the role of the reader: only admins see the address of webhooks, which is a credential
 * @param apiBase the address of the API, without a slash at the end
 */
export function eventSourceResponse(
  { role }: Pick<ProjectMemberScope, 'role'>,
  { hook, lastEventAt, ...source }: SeenEventSource,
  apiBase: string,
): EventSourceResponse {
  return {
    id: source.id,
    project_id: source.projectId,
    name: source.name,
    type: source.type,
    is_enabled: source.isEnabled,
    description: source.description,
    created_at: source.createdAt.toISOString(),
    last_event_at: lastEventAt?.toISOString() ?? null,
    ...(hook !== null && {
      hook_url: roleAtLeast(role, 'admin') ? `${apiBase}/intake/hooks/${hook.address}` : null,
      verification: verificationResponse(hook),
      has_verification_secret: hook.hasSecret,
    }),
  };
}

function verificationResponse({ scheme, header, encoding, prefix }: SeenHook): HookVerificationResponse {
  return {
    scheme,
    ...(header !== null && { header }),
    ...(encoding !== null && { encoding }),
    ...(prefix !== null && { prefix }),
  };
}
