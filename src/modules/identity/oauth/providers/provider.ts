export const PROVIDER_NAMES = ['google', 'apple'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What differs from provider to provider. */
export interface Provider {
  readonly name: ProviderName;
  /** As configured; the provider's own OpenID configuration has to say the same. */
  readonly issuer: string;
  readonly clientId: string;
  /** Parameters of the authorization URL beyond those of every code flow. */
  readonly authorizationParameters: Readonly<Record<string, string>>;
  /** The `client_secret` of a request to the token endpoint. */
  clientSecret(): string | Promise<string>;
}

/** A person as a checked ID token describes them. */
export interface ProviderPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider gives a well-formed address and says that it has verified it. */
  readonly verifiedEmail: string | null;
  readonly name: string | null;
}
