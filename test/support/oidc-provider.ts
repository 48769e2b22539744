import * as providers from './programs/oidc.mjs';

export { REDIRECT_URI } from './programs/oidc.mjs';

/** A provider in the process of the test: see `programs/oidc.mjs`. */
export type StandIn = providers.OidcProvider;

export async function startGoogle(redirectUri?: string): Promise<StandIn> {
  return loaded(await providers.startGoogle(redirectUri));
}

export async function startApple(redirectUri?: string): Promise<StandIn> {
  return loaded(await providers.startApple(redirectUri));
}

/** In the process of the service, loading the package would hold up the requests of the service. */
async function loaded(provider: StandIn): Promise<StandIn> {
  await provider.ready();
  return provider;
}
