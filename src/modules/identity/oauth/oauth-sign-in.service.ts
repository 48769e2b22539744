import { Injectable, Logger } from '@nestjs/common';
import { sha256 } from '../../../platform/crypto/index.js';
import { NotAuthenticated } from '../../../platform/http/domain-error.js';
import { type MfaChallengeResponse, Refused } from '../second-factors/index.js';
import { type Client, SessionsService, type TokenResponse } from '../sessions/index.js';
import { AccountAdmissionService, type Admitted } from './account-admission.service.js';
import { AuthorizationService } from './authorization.service.js';
import type { OAuthLoginRequest } from './oauth.dto.js';
import { OAuthLoginFailed } from './oauth.errors.js';
import { OAuthFault } from './oauth-fault.js';
import { nameFrom } from './providers/id-token.js';
import type { ProviderName } from './providers/provider.js';
import type { ProviderConnection } from './providers/provider-connection.js';
import { ProviderRegistry } from './providers/provider.registry.js';

/** Signs a user in with the authorization code of a provider. */
@Injectable()
export class OAuthSignInService {
  private readonly logger = new Logger('oauth');

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly authorization: AuthorizationService,
    private readonly accounts: AccountAdmissionService,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Signs the user in, or returns a challenge when a second factor is required.
   * @throws OAuthProviderNotConfigured
   * @throws OAuthLoginFailed for every other failure. The reason is logged
   */
  async login(request: OAuthLoginRequest, client: Client): Promise<TokenResponse | MfaChallengeResponse> {
    const provider = this.providers.get(request.provider);
    const admitted = await this.admit(provider, request, client).catch((error: unknown) => {
      if (!(error instanceof OAuthFault)) throw error;
      this.logger.warn(`login by ${request.provider} failed: ${error.message}`);
      throw new OAuthLoginFailed();
    });
    if (admitted instanceof Refused) throw admitted.error;
    if ('challenge' in admitted) return admitted.challenge;
    return this.sessions.open(admitted.userId, 'oauth', client).catch((error: unknown) => {
      // NotAuthenticated means that the account was deleted or disabled during the sign-in.
      throw error instanceof NotAuthenticated ? new OAuthLoginFailed() : error;
    });
  }

  private async admit(
    provider: ProviderConnection<ProviderName>,
    request: OAuthLoginRequest,
    client: Client,
  ): Promise<Admitted> {
    const { code, redirect_uri: redirectUri, nonce } = request;
    const hasStart = await this.authorization.claimStart(request);
    if (typeof request.iss === 'string' && !(await provider.isIssuer(request.iss))) {
      throw new OAuthFault('the callback came from another issuer');
    }
    const codeVerifier = request.code_verifier ?? undefined;
    const person = await provider.redeem({ code, redirectUri, nonce, codeVerifier });
    return this.accounts.admit({
      provider: provider.name,
      person,
      name: nameOfRawUser(request.raw_user) ?? person.name,
      nonceHash: hasStart ? null : sha256(nonce),
      client,
    });
  }
}

/** Returns the name in Apple's user object. The object comes through the browser, so nothing but the name is used. */
function nameOfRawUser(rawUser: OAuthLoginRequest['raw_user']): string | null {
  const name = rawUser?.['name'];
  if (typeof name !== 'object' || name === null) return null;
  const { firstName, lastName } = name as { firstName?: unknown; lastName?: unknown };
  const parts = [firstName, lastName].filter((part) => typeof part === 'string');
  return nameFrom(parts.join(' '));
}
