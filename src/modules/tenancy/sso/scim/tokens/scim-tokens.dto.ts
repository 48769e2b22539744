import {
  DateTimeField,
  inFuture,
  NameField,
  TextField,
  UuidField,
} from '../../../../../platform/http/validation/index.js';
import type { ListedScimToken } from './scim-tokens.repository.js';

export class CreateScimTokenRequest {
  @NameField({ trim: true, description: 'For your own lists', example: 'Okta' })
  name!: string;

  @DateTimeField({
    optional: true,
    nullable: true,
    check: inFuture('expires_at'),
    description: 'When the token ends. Without it the token is valid until it is revoked',
  })
  expires_at?: Date | null;
}

export class ScimTokenResponse {
  @UuidField()
  id!: string;

  @NameField({ example: 'Okta' })
  name!: string;

  @DateTimeField()
  created_at!: Date;

  @DateTimeField({ nullable: true, description: 'To the minute. Null: never' })
  last_used_at!: Date | null;

  @DateTimeField({ nullable: true })
  expires_at!: Date | null;
}

export class CreatedScimTokenResponse extends ScimTokenResponse {
  @TextField({ description: 'The token, which is shown only here', example: 'oes_scim_…' })
  token!: string;
}

export function scimTokenResponse(token: ListedScimToken): ScimTokenResponse {
  return {
    id: token.id,
    name: token.name,
    created_at: token.createdAt,
    last_used_at: token.lastUsedAt,
    expires_at: token.expiresAt,
  };
}
