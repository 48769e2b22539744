import {
  BooleanField,
  ConstantField,
  DateTimeField,
  EnumField,
  IntField,
  ListField,
  nested,
  TextField,
  UuidField,
} from '../../../platform/http/validation/index.js';
import { type Session, SIGN_IN_METHODS, type SignInMethod } from './session.entity.js';

export class RefreshRequest {
  @TextField({ min: 1, max: 512, secret: true, description: 'The newest one of the session' })
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

  @ConstantField('bearer', { description: 'How the access token is sent' })
  token_type!: 'bearer';
}

export class JsonWebKeyResponse {
  @ConstantField('EC', { description: 'RFC 7517' })
  kty!: 'EC';

  @ConstantField('P-256', { description: 'RFC 7518' })
  crv!: 'P-256';

  @TextField({ description: 'Coordinate, base64url' })
  x!: string;

  @TextField({ description: 'Coordinate, base64url' })
  y!: string;

  @TextField({ description: 'Which key; the header of a token names it' })
  kid!: string;

  @ConstantField('ES256', { description: 'How tokens are signed' })
  alg!: 'ES256';

  @ConstantField('sig', { description: 'For signatures' })
  use!: 'sig';
}

export class JwksResponse {
  @ListField(nested(() => JsonWebKeyResponse), { description: 'All that tokens may be signed with' })
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

  @DateTimeField({ description: 'When it ends' })
  expires_at!: string;

  @TextField({ nullable: true, description: 'Where the sign-in came from', example: '203.0.113.7' })
  ip!: string | null;

  @TextField({ nullable: true, description: 'What the client called itself' })
  user_agent!: string | null;

  @EnumField(SIGN_IN_METHODS, { description: 'How its owner signed in' })
  method!: SignInMethod;
}

export class RevokedSessionsResponse {
  @TextField({ description: 'What was done, for people' })
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
