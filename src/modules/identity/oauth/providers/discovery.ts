import { OAuthFault } from '../oauth-fault.js';
import { requestJson } from './provider-http.js';

/** What a provider's OpenID configuration says about itself. */
export interface ProviderMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: URL;
  readonly tokenEndpoint: URL;
  readonly keysUrl: URL;
}

/**
 * Reads the OpenID configuration of an issuer, which must claim to be that issuer.
 * @param httpsOnly refuses endpoints without TLS
 */
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

/** A slash at the end is the one thing configured issuers may differ in. */
function bare(issuer: string): string {
  return issuer.replace(/\/$/, '');
}
