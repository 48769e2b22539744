export const PROVIDER_NAMES = ['google', 'apple'] as const;
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** The settings in which providers differ. */
export interface Provider<Name extends string = string> {
  readonly name: Name;
  /** The configured issuer. The OpenID configuration of the provider must name the same issuer. */
  readonly issuer: string;
  readonly clientId: string;
  /** Parameters of the authorization URL in addition to those of every code flow. */
  readonly authorizationParameters: Readonly<Record<string, string>>;
  /** The settings of a company's provider. Undefined when the provider is Google or Apple. */
  readonly company?: CompanySettings;
  /**
   * Returns the `client_secret` for a request to the token endpoint. Null when the client has no secret and PKCE is its
   * only proof.
   */
  clientSecret(): string | null | Promise<string>;
}

/**
 * Settings of a company's own provider. It may sign with any asymmetric algorithm, authenticates clients by HTTP Basic
 * unless its OpenID configuration announces only the form, and may give the claims of a user only at its userinfo
 * endpoint.
 */
export interface CompanySettings {
  /** The claim that lists the groups of a user. */
  readonly groupsClaim: string;
  /** Whether an address counts as verified when the provider sends no `email_verified`. */
  readonly trustsEmail: boolean;
}

/** The claims that a sign-in by a company's provider needs. */
export interface NeededClaims extends CompanySettings {
  /** Whether the role of the user depends on groups. */
  readonly needsGroups: boolean;
}

/** A user as a verified ID token describes them. */
export interface ProviderPerson {
  readonly issuer: string;
  readonly subject: string;
  /** Null unless the provider sends a well-formed address and states that it has verified the address. */
  readonly verifiedEmail: string | null;
  readonly name: string | null;
}

/** A user of a company's provider. */
export interface CompanyPerson extends ProviderPerson {
  readonly groups: readonly string[];
  /** The session at the provider (`sid`), which a back-channel logout may name. */
  readonly providerSession: string | null;
}

/** The result of a sign-in by a company's provider. */
export interface CompanySignIn {
  readonly person: CompanyPerson;
  /** The verified ID token. It identifies the session to the provider when the session ends. */
  readonly idToken: string;
}
