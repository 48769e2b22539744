import { Injectable, Logger } from '@nestjs/common';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import type { AuthorizeRequest, AuthorizeResponse, OAuthLoginRequest } from './oauth.dto.js';
import { OAuthLoginFailed } from './oauth.errors.js';
import { OAuthFault } from './oauth-fault.js';
import { OAuthStartsRepository } from './oauth-starts.repository.js';
import { ProviderRegistry } from './providers/provider.registry.js';

const START_LIFE_SECONDS = 600;
/**
 * Prefix of the nonces that this service generates. The prefix keeps a nonce whose start is gone from being accepted as
 * a nonce that the client generated.
 */
const OURS = 'start.';

/** Starts sign-ins, and checks that a login matches its start. */
@Injectable()
export class AuthorizationService {
  private readonly logger = new Logger('oauth');

  constructor(
    private readonly providers: ProviderRegistry,
    private readonly starts: OAuthStartsRepository,
  ) {}

  /**
   * Starts a sign-in and stores its nonce, state, code verifier and redirect URI as hashes.
   * @throws OAuthProviderNotConfigured
   * @throws OAuthLoginFailed when the OpenID configuration of the provider cannot be read
   */
  async authorize({ provider, redirect_uri }: AuthorizeRequest): Promise<AuthorizeResponse> {
    const connection = this.providers.get(provider);
    const [state, nonce, codeVerifier] = [randomToken(), `${OURS}${randomToken()}`, randomToken()];
    const verifierHash = sha256(codeVerifier);
    const codeChallenge = verifierHash.toString('base64url');
    const url = await connection
      .authorizationUrl({ redirectUri: redirect_uri, state, nonce, codeChallenge })
      .catch((error: unknown) => {
        if (!(error instanceof OAuthFault)) throw error;
        this.logger.warn(`no start with ${provider}: ${error.message}`);
        throw new OAuthLoginFailed();
      });
    await this.starts.insert({
      nonceHash: sha256(nonce),
      provider,
      stateHash: sha256(state),
      verifierHash,
      redirectUriHash: sha256(redirect_uri),
      lifeSeconds: START_LIFE_SECONDS,
    });
    return { authorization_url: url, state, nonce, code_verifier: codeVerifier };
  }

  /**
   * Deletes the start of a login before the provider is contacted, so that only one of several parallel logins
   * continues. A nonce that the client generated has no start. That nonce is marked as used during the sign-in.
   * @returns whether the login began with `authorize`
   * @throws OAuthFault when the start is used or expired, or does not match the login
   */
  async claimStart(login: OAuthLoginRequest): Promise<boolean> {
    if (!login.nonce.startsWith(OURS)) return false;
    const start = await this.starts.take(sha256(login.nonce));
    if (start === null || !start.alive) throw new OAuthFault('the start is unknown, used or expired');
    if (start.provider !== login.provider) throw new OAuthFault('the start was with another provider');
    if (!start.redirect_uri_hash.equals(sha256(login.redirect_uri))) {
      throw new OAuthFault('the start had another redirect_uri');
    }
    if (!start.verifier_hash.equals(sha256(login.code_verifier ?? ''))) {
      throw new OAuthFault('the start had another code_verifier');
    }
    if (typeof login.state === 'string' && !start.state_hash.equals(sha256(login.state))) {
      throw new OAuthFault('the start had another state');
    }
    return true;
  }
}
