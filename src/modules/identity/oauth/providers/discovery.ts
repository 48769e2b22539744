import { OAuthFault } from '../oauth-fault.js';
import { requestJson } from './provider-http.js';

/** The endpoints and the issuer in a provider's OpenID configuration. */
export interface ProviderMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly tokenEndpoint: URL;
  readonly keysUrl: URL;
}

/** Reads the OpenID configuration of an issuer. The configuration must name the same issuer. */
export async function discover(issuer: string, httpsOnly: boolean): Promise<ProviderMetadata> {
  const what = 'OpenID configuration';
  const { status, body } = await requestJson(new URL(`${bare(issuer)}/.well-known/openid-configuration`), { what });
  if (status !== 200 || body === null) throw new OAuthFault(`${what}: answered ${status} without a configuration`);
  if (typeof body['issuer'] !== 'string' || bare(body['issuer']) !== bare(issuer)) {
    throw new OAuthFault(`${what}: belongs to another issuer`);
  }
  const endpoint = (name: string): URL => {
    const value = body[name];
    const url = typeof value === 'string' ? URL.parse(value) : null;
    if (url === null || !(url.protocol === 'https:' || (url.protocol === 'http:' && !httpsOnly))) {
      throw new OAuthFault(`${what}: ${name} is not usable`);
    }
    return url;
  };
  return {
    issuer: body['issuer'],
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    keysUrl: endpoint('jwks_uri'),
  };
}

/** Removes a trailing slash. The configured issuer may differ from the published one in the slash only. */
function bare(issuer: string): string {
  return issuer.replace(/\/$/, '');
}
