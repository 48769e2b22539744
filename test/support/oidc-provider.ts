import { browse, type Callback } from './browser.js';
import * as providers from './programs/oidc.mjs';

export { close, listen, REDIRECT_URI } from './programs/oidc.mjs';

/** A provider in the process of the test: see `programs/oidc.mjs`. */
export interface StandIn extends providers.OidcProvider {
  /** Signs a person in at an authorization URL, as a browser does. */
  signIn(authorizationUrl: string, subject: string): Promise<Callback>;
}

export async function startGoogle(redirectUri?: string): Promise<StandIn> {
  return withBrowser(await providers.startGoogle(redirectUri));
}

export async function startApple(redirectUri?: string): Promise<StandIn> {
  return withBrowser(await providers.startApple(redirectUri));
}

async function withBrowser(provider: providers.OidcProvider): Promise<StandIn> {
  await provider.ready();
  return { ...provider, signIn: (url, subject) => browse(url, { subject }) };
}
