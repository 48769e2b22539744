import { Injectable } from '@nestjs/common';
import type { Config } from './config/index.js';
import { KeyAuthenticator } from './modules/api-keys/index.js';
import { AccessTokens } from './modules/sessions/index.js';
import type { CheckedRequest } from './platform/http/inputs.js';
import { overridden, RateLimitCredentials, type RateLimitPolicy } from './platform/rate-limit/index.js';

/** The policies of SERVICE 8.2 that are in force, with the limits of this deployment. */
export function rateLimitPolicies({ rateLimits }: Config): RateLimitPolicy[] {
  const policies: RateLimitPolicy[] = [
    {
      name: 'auth-login',
      methods: ['POST'],
      path: '/v1/auth/login',
      windowSeconds: 300,
      ipLimit: rateLimits.authLoginIp,
      credentialLimit: null,
    },
    {
      name: 'auth-register',
      methods: ['POST'],
      path: '/v1/auth/register',
      windowSeconds: 900,
      ipLimit: rateLimits.authRegisterIp,
      credentialLimit: null,
    },
  ];
  return overridden(policies, rateLimits.overrides);
}

/** A key or person is counted wherever they call from; whoever only looks like one is counted by address. */
@Injectable()
export class CredentialHolders extends RateLimitCredentials {
  constructor(
    private readonly keys: KeyAuthenticator,
    private readonly tokens: AccessTokens,
  ) {
    super();
  }

  async holderOf(request: CheckedRequest): Promise<string | null> {
    const key = request.headers['x-api-key'];
    if (typeof key === 'string') {
      const identity = await this.keys.identify(key);
      return identity === null ? null : `key:${identity.apiKeyId}`;
    }
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const claims = token === undefined ? null : await this.tokens.verify(token);
    return claims === null ? null : `user:${claims.userId}`;
  }
}
