import { API_KEY_SCOPES, type ApiKeyScopeName } from '../../access/index.js';
import {
  DateTimeField,
  EnumField,
  enumOf,
  inFuture,
  IntField,
  ListField,
  text,
  TextField,
  UuidField,
  NameField,
} from '../../../platform/http/validation/index.js';
import type { ApiKeyRecord } from './api-key.entity.js';
import { KEY_STATUSES, type KeyStatus, keyStatus } from './key-status.js';

export class ProjectQuery {
  @UuidField({})
  project_id!: string;
}

export class ApiKeysQuery extends ProjectQuery {
  @UuidField({ optional: true, description: 'Only keys of this Event Source' })
  source_id?: string;
}

const EXPIRY = 'Must lie ahead; left out or null: does not expire';

export class CreateApiKeyRequest {
  @UuidField({})
  project_id!: string;

  @UuidField({ optional: true, nullable: true, description: 'Makes it a key of this Event Source of the project' })
  source_id?: string | null;

  @NameField({ example: 'Web server', description: 'Name of the key' })
  name!: string;

  @ListField(enumOf(API_KEY_SCOPES), {
    min: 1,
    max: 2,
    optional: true,
    default: [...API_KEY_SCOPES],
    description: 'Both when left out',
  })
  scopes!: ApiKeyScopeName[];

  @DateTimeField({ optional: true, nullable: true, check: inFuture('expires_at'), description: EXPIRY })
  expires_at?: Date | null;
}

export class ChangeApiKeyRequest {
  @NameField({ optional: true, description: 'Name of the key' })
  name?: string;

  @ListField(enumOf(API_KEY_SCOPES), {
    min: 1,
    max: 2,
    optional: true,
    description: 'Replaces the scopes; a browser-safe key keeps events:write alone',
  })
  scopes?: ApiKeyScopeName[];

  @DateTimeField({
    optional: true,
    nullable: true,
    check: inFuture('expires_at'),
    description: 'Must lie ahead; null: does not expire any more',
  })
  expires_at?: Date | null;
}

export class RotateApiKeyRequest {
  @IntField({
    min: 0,
    max: 604_800,
    optional: true,
    default: 0,
    description: 'How long the old key goes on working, in seconds; it never outlives its own expires_at',
  })
  grace_seconds!: number;
}

export class ApiKeyResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @UuidField({ nullable: true, description: 'The Event Source it belongs to; null: to the project itself' })
  source_id!: string | null;

  @TextField({ description: 'Name of the key' })
  name!: string;

  @TextField({
    example: 'a1B2c3D4',
    description: 'Beginning of the key behind `oes_` or `oesb_`, by which people know it',
  })
  prefix!: string;

  @ListField(enumOf(API_KEY_SCOPES), { description: 'What the key may do' })
  scopes!: ApiKeyScopeName[];

  @EnumField(KEY_STATUSES, { description: 'rotating: replaced by a new key, but good until expires_at' })
  status!: KeyStatus;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true, description: 'At most a minute behind' })
  last_used_at!: string | null;

  @DateTimeField({ nullable: true, description: 'Of a rotated key: the end of its grace' })
  expires_at!: string | null;

  @ListField(text(), { optional: true, description: 'Of browser-safe keys alone' })
  allowed_origins?: string[];

  @IntField({ optional: true, description: 'Of browser-safe keys alone' })
  rate_limit_per_minute?: number;
}

export class CreatedApiKeyResponse extends ApiKeyResponse {
  @TextField({ description: 'The key itself; shown in this answer and never again' })
  key!: string;
}

export class OwnApiKeyResponse extends ApiKeyResponse {
  @UuidField({ description: 'The organization of the project' })
  organization_id!: string;

  @TextField({ description: 'Of the project, as it is now' })
  project_name!: string;
}

export function apiKeyResponse(record: ApiKeyRecord, now: Date): ApiKeyResponse {
  const { allowedOrigins, rateLimitPerMinute } = record;
  const isBrowserSafe = allowedOrigins !== null && rateLimitPerMinute !== null;
  return {
    id: record.id,
    project_id: record.projectId,
    source_id: record.sourceId,
    name: record.name,
    prefix: record.prefix,
    scopes: record.scopes,
    status: keyStatus(record, now),
    created_at: record.createdAt.toISOString(),
    last_used_at: record.lastUsedAt?.toISOString() ?? null,
    expires_at: record.expiresAt?.toISOString() ?? null,
    ...(isBrowserSafe && { allowed_origins: allowedOrigins, rate_limit_per_minute: rateLimitPerMinute }),
  };
}
