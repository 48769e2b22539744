import { API_KEY_SCOPES, type ApiKeyScopeName } from '../../platform/access/index.js';
import { DateTimeField, EnumField, enumOf, ListField, TextField, UuidField } from '../../platform/http/fields/index.js';
import type { ApiKeyRecord } from './api-key.entity.js';

export class ProjectQuery {
  @UuidField({})
  project_id!: string;
}

export class CreateApiKeyRequest {
  @UuidField({})
  project_id!: string;

  @TextField({ min: 1, max: 200, example: 'Web server' })
  name!: string;

  @ListField(enumOf(API_KEY_SCOPES), {
    min: 1,
    max: 2,
    optional: true,
    default: [...API_KEY_SCOPES],
    description: 'Both when left out',
  })
  scopes!: ApiKeyScopeName[];

  @DateTimeField({ optional: true, nullable: true, description: 'Must lie ahead; left out or null: does not expire' })
  expires_at?: Date | null;
}

const STATUSES = ['active', 'rotating', 'revoked', 'expired'] as const;

export class ApiKeyResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @UuidField({ nullable: true })
  source_id!: string | null;

  @TextField({})
  name!: string;

  @TextField({ example: 'a1B2c3D4' })
  prefix!: string;

  @ListField(enumOf(API_KEY_SCOPES), {})
  scopes!: ApiKeyScopeName[];

  @EnumField(STATUSES, {})
  status!: (typeof STATUSES)[number];

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ nullable: true, description: 'At most a minute behind' })
  last_used_at!: string | null;

  @DateTimeField({ nullable: true })
  expires_at!: string | null;
}

export class CreatedApiKeyResponse extends ApiKeyResponse {
  @TextField({ description: 'The key itself; shown in this answer and never again' })
  key!: string;
}

export class OwnApiKeyResponse extends ApiKeyResponse {
  @UuidField({})
  organization_id!: string;

  @TextField({})
  project_name!: string;
}

export function apiKeyResponse(record: ApiKeyRecord, now: Date): ApiKeyResponse {
  const isExpired = record.expiresAt !== null && record.expiresAt <= now;
  return {
    id: record.id,
    project_id: record.projectId,
    source_id: record.sourceId,
    name: record.name,
    prefix: record.prefix,
    scopes: record.scopes,
    status: record.revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active',
    created_at: record.createdAt.toISOString(),
    last_used_at: record.lastUsedAt?.toISOString() ?? null,
    expires_at: record.expiresAt?.toISOString() ?? null,
  };
}
