export const PROVIDER_NAMES = ['google', 'apple'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The settings in which providers differ. */
export interface Provider {
  readonly name: ProviderName;
  /** The configured issuer. The OpenID configuration of the provider must name the same issuer. */
  readonly issuer: string;
  readonly clientId: string;
  /** Parameters of the authorization URL in addition to those of every code flow. */
  readonly authorizationParameters: Readonly<Record<string, string>>;
  /** Returns the `client_secret` for a request to the token endpoint. */
  clientSecret(): string | Promise<string>;
}

/** A user as a verified ID token describes them. */
export interface ProviderPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider sends a well-formed address and states that it has verified the address. */
  readonly verifiedEmail: string | null;
  readonly name: string | null;
}
