export const REDIRECT_URI: string;

/** What the ID token says about a subject. Apple's flag is text. */
export interface ProviderClaims {
  email?: string;
  email_verified?: boolean | string;
  name?: string;
  groups?: string | string[];
}

/** A certified OpenID provider in the place of Google or Apple. */
export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** The variables of the environment that configure it. */
  readonly env: Record<string, string>;
  /** The claims of people by subject. */
  readonly people: Map<string, ProviderClaims>;
  /** Adds somebody with a verified address. */
  addPerson(email?: string): { subject: string; email: string; claims: ProviderClaims };
  /** Loads the package, so that no request waits for that. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export function startGoogle(redirectUri?: string): Promise<OidcProvider>;
export function startApple(redirectUri?: string): Promise<OidcProvider>;

/** A provider of a company. */
export interface CompanyProvider extends OidcProvider {
  readonly clientSecret: string;
  servedAt(url: string): void;
}

export function startCompany(name: string): Promise<CompanyProvider>;
