import type { SamlConfig } from '@node-saml/node-saml';
import type { SsoConnection } from '../sso-connection.entity.js';
import { CLOCK_SKEW_MS, MAX_ASSERTION_AGE_MS } from './assertion-facts.js';
import { SamlFault } from './saml-fault.js';

/** Loads the library when it is first needed. It takes 15 MB and 0.1 s, and many deployments have no SAML provider. */
const library = () => import('@node-saml/node-saml');

/** A placeholder, because the library requires a certificate even when it verifies nothing. */
const NO_CERTIFICATE = 'bm9uZQ==';

/** The URLs of this service in its role as a SAML service provider of one connection. */
export interface ServiceProviderAddresses {
  /** The id of this service at the provider, which is also the URL of its metadata. */
  readonly entityId: string;
  /** The URL of the assertion consumer service, which receives the responses. */
  readonly acs: string;
}

/** @param base the base URL of the API, without a trailing slash */
export function addressesOf(base: string, connectionId: string): ServiceProviderAddresses {
  const own = `${base}/sso/saml/${connectionId}`;
  return { entityId: `${own}/metadata`, acs: `${own}/acs` };
}

export async function metadataOf(addresses: ServiceProviderAddresses): Promise<string> {
  const { SAML } = await library();
  return new SAML(optionsOf(addresses)).generateServiceProviderMetadata(null, null);
}

/** Returns the URL at the provider with which a sign-in starts. */
export async function signInAddress(
  { signInUrl }: Pick<SsoConnection, 'signInUrl'>,
  addresses: ServiceProviderAddresses,
  { requestId, state }: { readonly requestId: string; readonly state: string },
): Promise<string> {
  if (signInUrl === null || !URL.canParse(signInUrl)) throw new SamlFault('the connection has no sign-in address');
  const { SAML } = await library();
  const options = { ...optionsOf(addresses), entryPoint: signInUrl, generateUniqueId: () => requestId };
  return new SAML(options).getAuthorizeUrlAsync(state, undefined, {});
}

/**
 * Makes the library check audience, times, confirmation and request of a signed assertion as well. An error in one of
 * the two checks then admits nobody.
 *
 * @param assertionXml the signed text
 * @throws SamlFault
 */
export async function requireConditions(
  assertionXml: string,
  addresses: ServiceProviderAddresses,
  { requestId, now }: { readonly requestId: string | null; readonly now: Date },
): Promise<void> {
  const { SAML, ValidateInResponseTo } = await library();
  class Conditions extends SAML {
    async check(): Promise<void> {
      await this.processValidlySignedAssertionAsync(assertionXml, '', requestId);
    }
  }
  const validateInResponseTo = requestId === null ? ValidateInResponseTo.never : ValidateInResponseTo.always;
  const options = { ...optionsOf(addresses), validateInResponseTo, cacheProvider: only(requestId, now) };
  try {
    await new Conditions(options).check();
  } catch {
    throw new SamlFault('the conditions of the assertion do not hold');
  }
}

function optionsOf({ entityId, acs }: ServiceProviderAddresses): SamlConfig {
  return {
    issuer: entityId,
    audience: entityId,
    callbackUrl: acs,
    idpCert: NO_CERTIFICATE,
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: true,
    acceptedClockSkewMs: CLOCK_SKEW_MS,
    maxAssertionAgeMs: MAX_ASSERTION_AGE_MS,
  };
}

/** Returns a store for the library that contains only this request. The real store of sign-ins is in the database. */
function only(requestId: string | null, now: Date): SamlConfig['cacheProvider'] {
  return {
    saveAsync: () => Promise.resolve(null),
    getAsync: (key) => Promise.resolve(key === requestId ? now.toISOString() : null),
    removeAsync: () => Promise.resolve(null),
  };
}
