import type { JWTVerifyGetKey } from 'jose';
import type { Clock } from '../../../../platform/clock/index.js';
import { OAuthFault } from '../oauth-fault.js';
import { discover, type ProviderMetadata } from './discovery.js';
import {
  COMPANY_ALGORITHMS,
  companyPersonIn,
  type Expected,
  type IdTokenClaims,
  verifiedClaims,
  verifyIdToken,
} from './id-token.js';
import type { CompanySignIn, NeededClaims, Provider, ProviderPerson } from './provider.js';
import { type ProviderTransport, requestJson } from './provider-http.js';
import { ProviderKeys } from './provider-keys.js';
import { CachedFetch } from './cached-fetch.js';

const METADATA_LIFE_MS = 3_600_000;
/** Maximum size of a response of a company's provider with the claims of a user, who may be in thousands of groups. */
const MAX_CLAIMS_BYTES = 1024 * 1024;

export interface ConnectionOptions {
  readonly httpsOnly: boolean;
  readonly clock: Clock;
  /** Sends the requests to the provider. The default is `fetch`. */
  readonly transport?: ProviderTransport;
}

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
export class ProviderConnection<Name extends string = string> {
  private readonly metadata: CachedFetch<ProviderMetadata>;
  private readonly keys: ProviderKeys;

  constructor(
    private readonly provider: Provider<Name>,
    private readonly options: ConnectionOptions,
  ) {
    const { httpsOnly, clock, transport } = options;
    this.metadata = new CachedFetch(() => discover(provider.issuer, httpsOnly, transport), METADATA_LIFE_MS, clock);
    this.keys = new ProviderKeys(async () => (await this.metadata.get()).keysUrl, clock, transport);
  }

  get name(): Name {
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

  /**
   * Returns whether a callback may come from this provider. Its `iss` must be the issuer. It may be missing only when
   * the provider does not announce it (RFC 9207).
   */
  async isOwnCallback(issuer: string | undefined): Promise<boolean> {
    const { issuer: own, namesIssuer } = await this.metadata.get();
    return issuer === undefined ? !namesIssuer : issuer === own;
  }

  /** Returns where the browser ends its session at the provider, or null when the provider has no such address. */
  async endSessionEndpoint(): Promise<URL | null> {
    return (await this.metadata.get()).endSessionEndpoint;
  }

  /** Verifies a token of the provider other than an ID token, by its keys and its issuer. */
  async verified<T>(verify: (keys: JWTVerifyGetKey, issuer: string, now: Date) => Promise<T>): Promise<T> {
    const { issuer } = await this.metadata.get();
    return verify(this.keys.resolve, issuer, this.options.clock.now());
  }

  /** Exchanges an authorization code for the identity of the user who signed in. */
  async redeem(redemption: Redemption): Promise<ProviderPerson> {
    const { id_token: idToken } = await this.exchange(redemption);
    return verifyIdToken(idToken, this.keys.resolve, await this.expected(redemption));
  }

  /**
   * Exchanges an authorization code for the identity and the groups of the user who signed in. Claims that the ID token
   * lacks are read from the userinfo endpoint.
   */
  async redeemOfCompany(redemption: Redemption, needed: NeededClaims): Promise<CompanySignIn> {
    const { id_token: idToken, access_token: accessToken } = await this.exchange(redemption);
    const expected = { ...(await this.expected(redemption)), algorithms: COMPANY_ALGORITHMS };
    const claims = await verifiedClaims(idToken, this.keys.resolve, expected);
    const more = await this.moreClaims(claims, accessToken, needed);
    return { person: companyPersonIn(joined(claims, more), expected.issuer, needed), idToken };
  }

  /**
   * Returns the claims of the userinfo endpoint when the ID token lacks claims, else no claims. A person without a name
   * can sign in, so the endpoint may fail when only the name is missing.
   */
  private async moreClaims(
    claims: IdTokenClaims,
    accessToken: unknown,
    { groupsClaim, needsGroups, trustsEmail }: NeededClaims,
  ): Promise<Record<string, unknown>> {
    const lacksAddress = claims['email'] === undefined || (claims['email_verified'] === undefined && !trustsEmail);
    const lacksGroups = needsGroups && claims[groupsClaim] === undefined;
    if (lacksAddress || lacksGroups) return this.userinfo(claims.sub, accessToken);
    if (claims['name'] !== undefined) return {};
    return this.userinfo(claims.sub, accessToken).catch((error: unknown) => {
      if (error instanceof OAuthFault) return {};
      throw error;
    });
  }

  private async expected({ nonce }: Redemption): Promise<Expected> {
    const { issuer } = await this.metadata.get();
    return { issuer, clientId: this.provider.clientId, nonce, now: this.options.clock.now() };
  }

  private async exchange({ code, redirectUri, codeVerifier }: Redemption): Promise<TokenAnswer> {
    const { tokenEndpoint, takesSecretOnlyInForm } = await this.metadata.get();
    const { clientId, company } = this.provider;
    const secret = await this.provider.clientSecret();
    const isBasic = company !== undefined && secret !== null && !takesSecretOnlyInForm;
    const { status, body } = await requestJson(tokenEndpoint, {
      what: 'token endpoint',
      transport: this.options.transport,
      maxBytes: company === undefined ? undefined : MAX_CLAIMS_BYTES,
      authorization: isBasic ? basic(clientId, secret) : undefined,
      form: {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        ...(!isBasic && { client_id: clientId, ...(secret !== null && { client_secret: secret }) }),
        ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
      },
    });
    const idToken = body?.['id_token'];
    if (status !== 200 || typeof idToken !== 'string') {
      throw new OAuthFault(`token endpoint: answered ${status} ${errorCodeOf(body?.['error'])}`);
    }
    return { id_token: idToken, access_token: body?.['access_token'] };
  }

  /** Returns the claims of the userinfo endpoint, which must be about the same subject. */
  private async userinfo(subject: string, accessToken: unknown): Promise<Record<string, unknown>> {
    const { userinfoEndpoint } = await this.metadata.get();
    if (userinfoEndpoint === null || typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) return {};
    const { status, body } = await requestJson(userinfoEndpoint, {
      what: 'userinfo endpoint',
      transport: this.options.transport,
      maxBytes: MAX_CLAIMS_BYTES,
      authorization: `Bearer ${accessToken}`,
    });
    if (status !== 200 || body === null) throw new OAuthFault(`userinfo endpoint: answered ${status} without claims`);
    if (body['sub'] !== subject) throw new OAuthFault('userinfo endpoint: answered for another subject');
    return { ...body, ...{ sid: undefined } };
  }
}

interface TokenAnswer {
  readonly id_token: string;
  readonly access_token: unknown;
}

/**
 * Returns the header of a client that authenticates by HTTP Basic. Client id and secret are encoded as in a form (RFC
 * 6749, 2.3.1).
 */
function basic(clientId: string, secret: string): string {
  const encoded = [clientId, secret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

/**
 * Returns the error code for the log. The codes of RFC 6749 are safe to log, but descriptions may repeat what was sent.
 */
function errorCodeOf(error: unknown): string {
  return typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : 'without an ID token';
}

/**
 * Joins the claims of an ID token with those of the userinfo endpoint. `email_verified` counts only from a source that
 * has the same address.
 */
function joined(claims: IdTokenClaims, more: Readonly<Record<string, unknown>>): IdTokenClaims {
  const email = claims['email'] ?? more['email'];
  const flags = [claims, more].filter((source) => source['email'] === email).map((source) => source['email_verified']);
  return { ...more, ...claims, email, email_verified: flags.find((flag) => flag !== undefined) };
}
