import { IntField, ListField, nested, TextField } from '../../platform/http/fields/index.js';

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
