import { ProviderUnreachable } from '../oauth-fault.js';
import { type ProviderTransport, requestJson } from './provider-http.js';

/** The endpoints and the issuer in a provider's OpenID configuration. */
export interface ProviderMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly tokenEndpoint: URL;
  readonly keysUrl: URL;
  /** Null when the provider has none. */
  readonly userinfoEndpoint: URL | null;
  /**
   * The endpoint at which the browser ends its session at the provider (OpenID Connect RP-Initiated Logout). Null when
   * the provider has none.
   */
  readonly endSessionEndpoint: URL | null;
  /** Whether every callback names the issuer (RFC 9207). */
  readonly namesIssuer: boolean;
  /** Whether the token endpoint takes the client's secret in the form, and announces no HTTP Basic. */
  readonly takesSecretOnlyInForm: boolean;
}

/** Reads the OpenID configuration of an issuer. The configuration must name the same issuer. */
export async function discover(
  issuer: string,
  httpsOnly: boolean,
  transport?: ProviderTransport,
): Promise<ProviderMetadata> {
  const what = 'OpenID configuration';
  const { status, body } = await requestJson(new URL(`${bare(issuer)}/.well-known/openid-configuration`), {
    what,
    transport,
  });
  if (status !== 200 || body === null)
    throw new ProviderUnreachable(`${what}: answered ${status} without a configuration`);
  if (typeof body['issuer'] !== 'string' || bare(body['issuer']) !== bare(issuer)) {
    throw new ProviderUnreachable(`${what}: belongs to another issuer`);
  }
  const optional = (name: string): URL | null => {
    const value = body[name];
    const url = typeof value === 'string' ? URL.parse(value) : null;
    return url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && !httpsOnly)) ? url : null;
  };
  const endpoint = (name: string): URL => {
    const url = optional(name);
    if (url === null) throw new ProviderUnreachable(`${what}: ${name} is not usable`);
    return url;
  };
  const announced = body['token_endpoint_auth_methods_supported'];
  const methods: readonly unknown[] = Array.isArray(announced) ? announced : [];
  return {
    issuer: body['issuer'],
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    keysUrl: endpoint('jwks_uri'),
    userinfoEndpoint: optional('userinfo_endpoint'),
    endSessionEndpoint: optional('end_session_endpoint'),
    namesIssuer: body['authorization_response_iss_parameter_supported'] === true,
    takesSecretOnlyInForm: methods.includes('client_secret_post') && !methods.includes('client_secret_basic'),
  };
}

/** Removes a trailing slash. The configured issuer may differ from the published one in the slash only. */
function bare(issuer: string): string {
  return issuer.replace(/\/$/, '');
}
