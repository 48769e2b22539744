import {
  BooleanField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  TextField,
  UuidField,
} from '../../../platform/http/fields/index.js';
import { type Session, SIGN_IN_METHODS, type SignInMethod } from './session.entity.js';

export class RefreshRequest {
  @TextField({ min: 1, max: 512, secret: true })
  refresh_token!: string;
}

export class TokenResponse {
  @TextField({ description: 'JWT (ES256), verified by the keys of /v1/auth/jwks' })
  access_token!: string;

  @TextField({ description: 'Opaque; replaced at every refresh' })
  refresh_token!: string;

  @IntField({ description: 'Seconds', example: 900 })
  access_expires_in!: number;

  @IntField({ description: 'Seconds', example: 2592000 })
  refresh_expires_in!: number;

  @TextField({ example: 'bearer' })
  token_type!: 'bearer';
}

export class JsonWebKeyResponse {
  @TextField({ example: 'EC' })
  kty!: string;

  @TextField({ example: 'P-256' })
  crv!: string;

  @TextField({})
  x!: string;

  @TextField({})
  y!: string;

  @TextField({})
  kid!: string;

  @TextField({ example: 'ES256' })
  alg!: string;

  @TextField({ example: 'sig' })
  use!: string;
}

export class JwksResponse {
  @ListField(nested(() => JsonWebKeyResponse), {})
  keys!: JsonWebKeyResponse[];
}

export class SessionResponse {
  @UuidField({})
  id!: string;

  @BooleanField({ description: 'Whether this request came with it' })
  current!: boolean;

  @DateTimeField({})
  created_at!: string;

  @DateTimeField({ description: 'The last refresh' })
  last_used_at!: string;

  @DateTimeField({})
  expires_at!: string;

  @TextField({ nullable: true, description: 'Where the sign-in came from', example: '203.0.113.7' })
  ip!: string | null;

  @TextField({ nullable: true })
  user_agent!: string | null;

  @EnumField(SIGN_IN_METHODS, {})
  method!: SignInMethod;
}

export class RevokedSessionsResponse {
  @TextField({})
  message!: string;

  @IntField({ min: 0, description: 'How many sessions this call ended' })
  revoked!: number;
}

export function sessionResponse(session: Session, currentId: string): SessionResponse {
  return {
    id: session.id,
    current: session.id === currentId,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ip: session.ip,
    user_agent: session.userAgent,
    method: session.method,
  };
}
