import * as providers from './programs/oidc.mjs';

export { REDIRECT_URI } from './programs/oidc.mjs';

/** A provider in the process of the test; see `programs/oidc.mjs`. */
export type StandIn = providers.OidcProvider;

export async function startGoogle(redirectUri?: string): Promise<StandIn> {
  return loaded(await providers.startGoogle(redirectUri));
}

export async function startApple(redirectUri?: string): Promise<StandIn> {
  return loaded(await providers.startApple(redirectUri));
}

export async function startCompany(name: string): Promise<providers.CompanyProvider> {
  const provider = await providers.startCompany(name);
  await provider.ready();
  return provider;
}

/** Loads the package at once, because loading it later in this process would delay the requests of the service. */
async function loaded(provider: StandIn): Promise<StandIn> {
  await provider.ready();
  return provider;
}
