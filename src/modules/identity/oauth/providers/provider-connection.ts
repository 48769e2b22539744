import type { Clock } from '../../../../platform/clock/index.js';
import { OAuthFault } from '../oauth-fault.js';
import { discover, type ProviderMetadata } from './discovery.js';
import { verifyIdToken } from './id-token.js';
import type { Provider, ProviderName, ProviderPerson } from './provider.js';
import { requestJson } from './provider-http.js';
import { ProviderKeys } from './provider-keys.js';
import { CachedFetch } from './cached-fetch.js';

const METADATA_LIFE_MS = 3_600_000;

export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** SHA-256 of the code verifier in base64url (PKCE, S256). */
  readonly codeChallenge: string;
}

export interface Redemption {
  readonly code: string;
  readonly redirectUri: string;
  readonly nonce: string;
  /** Undefined when the authorization request had no code challenge. */
  readonly codeVerifier: string | undefined;
}

/** The authorization code flow with one provider (OpenID Connect Core 3.1). Every failure is an {@link OAuthFault}. */
export class ProviderConnection {
  private readonly metadata: CachedFetch<ProviderMetadata>;
  private readonly keys: ProviderKeys;

  constructor(
    private readonly provider: Provider,
    httpsOnly: boolean,
    private readonly clock: Clock,
  ) {
    this.metadata = new CachedFetch(() => discover(provider.issuer, httpsOnly), METADATA_LIFE_MS, clock);
    this.keys = new ProviderKeys(async () => (await this.metadata.get()).keysUrl, clock);
  }

  get name(): ProviderName {
    return this.provider.name;
  }

  get clientId(): string {
    return this.provider.clientId;
  }

  /** Returns the URL at which the browser signs in. */
  async authorizationUrl({ redirectUri, state, nonce, codeChallenge }: AuthorizationRequest): Promise<string> {
    const url = new URL((await this.metadata.get()).authorizationEndpoint);
    const parameters = {
      ...this.provider.authorizationParameters,
      response_type: 'code',
      client_id: this.provider.clientId,
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.toString();
  }

  /** Returns whether the `iss` parameter of a callback names this provider (RFC 9207). */
  async isIssuer(issuer: string): Promise<boolean> {
    return (await this.metadata.get()).issuer === issuer;
  }

  /** Exchanges an authorization code for the identity of the user who signed in. */
  async redeem({ code, redirectUri, nonce, codeVerifier }: Redemption): Promise<ProviderPerson> {
    const { issuer, tokenEndpoint } = await this.metadata.get();
    const { status, body } = await requestJson(tokenEndpoint, {
      what: 'token endpoint',
      form: {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: this.provider.clientId,
        client_secret: await this.provider.clientSecret(),
        ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
      },
    });
    const idToken = body?.['id_token'];
    if (status !== 200 || typeof idToken !== 'string') {
      throw new OAuthFault(`token endpoint: answered ${status} ${errorCodeOf(body?.['error'])}`);
    }
    const { clientId } = this.provider;
    return verifyIdToken(idToken, this.keys.resolve, { issuer, clientId, nonce, now: this.clock.now() });
  }
}

/**
 * Returns the error code for the log. The codes of RFC 6749 are safe to log, but descriptions may repeat what was sent.
 */
function errorCodeOf(error: unknown): string {
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : 'without an ID token';
}
