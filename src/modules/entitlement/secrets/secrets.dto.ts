import { DateTimeField, IntField, TextField, UuidField } from '../../../platform/http/validation/index.js';
import type { ToldSecret } from './secrets.repository.js';

/** The maximum length of a value, in bytes of UTF-8. */
const MOST_BYTES = 49_152;

const fits = (value: string): string | undefined =>
  Buffer.byteLength(value, 'utf8') <= MOST_BYTES ? undefined : `value should have at most ${MOST_BYTES} bytes of UTF-8`;

const VALUE = {
  min: 1,
  max: MOST_BYTES,
  secret: true,
  check: fits,
  description: `At most ${MOST_BYTES} bytes of UTF-8, kept to the byte; encrypted, never answered`,
};

export class SecretsQuery {
  @UuidField({})
  project_id!: string;
}

export class CreateSecretRequest {
  @UuidField({})
  project_id!: string;

  @TextField({
    min: 1,
    max: 100,
    pattern: /^[A-Z][A-Z0-9_]*$/,
    example: 'PAYMENTS_TOKEN',
    description: 'Unique in the project; never changes',
  })
  name!: string;

  @TextField(VALUE)
  value!: string;

  @TextField({ max: 500, optional: true, nullable: true, description: 'What it is for' })
  description?: string | null;
}

export class ReplaceSecretRequest {
  @TextField(VALUE)
  value!: string;

  @TextField({ max: 500, optional: true, nullable: true, description: 'Left out stays; null clears' })
  description?: string | null;
}

export class SecretResponse {
  @UuidField({})
  id!: string;

  @UuidField({})
  project_id!: string;

  @TextField({ example: 'PAYMENTS_TOKEN', description: 'What `{{secret:NAME}}` calls it by' })
  name!: string;

  @TextField({ nullable: true, description: 'What it is for; null: none was given' })
  description!: string | null;

  @IntField({ min: 1, description: 'Of the value: 1, then one more by each replacement' })
  version!: number;

  @IntField({ min: 0, description: 'How many protected headers and parameters of templates use it' })
  references!: number;

  @DateTimeField({ nullable: true, description: 'At most a minute behind. Null: never' })
  last_used_at!: string | null;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'Of the present value' })
  updated_at!: string;

  @UuidField({ nullable: true, description: 'Null: that account is gone' })
  created_by!: string | null;

  @UuidField({ nullable: true, description: 'Who gave the present value. Null: that account is gone' })
  updated_by!: string | null;
}

export function secretResponse(secret: ToldSecret, references: number): SecretResponse {
  return {
    id: secret.id,
    project_id: secret.projectId,
    name: secret.name,
    description: secret.description,
    version: secret.version,
    references,
    last_used_at: secret.lastUsedAt?.toISOString() ?? null,
    created_at: secret.createdAt.toISOString(),
    updated_at: secret.updatedAt.toISOString(),
    created_by: secret.createdBy,
    updated_by: secret.updatedBy,
  };
}
