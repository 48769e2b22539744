import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { OAuthProviderNotConfigured } from '../oauth.errors.js';
import { appleProvider } from './apple.js';
import { googleProvider } from './google.js';
import type { Provider, ProviderName } from './provider.js';
import { ProviderConnection } from './provider-connection.js';

/** The configured providers. No request is sent to a provider before the first sign-in with it. */
@Injectable()
export class ProviderRegistry {
  private readonly connections: ReadonlyMap<ProviderName, ProviderConnection<ProviderName>>;

  constructor(@Inject(CONFIG) { oauth, environment }: Config, clock: Clock) {
    const providers: Provider<ProviderName>[] = [];
    if (oauth.google !== undefined) providers.push(googleProvider(oauth.google));
    if (oauth.apple !== undefined) providers.push(appleProvider(oauth.apple, clock));
    const httpsOnly = environment === 'production';
    this.connections = new Map(
      providers.map((provider) => [provider.name, new ProviderConnection(provider, { httpsOnly, clock })]),
    );
  }

  enabled(): ProviderConnection<ProviderName>[] {
    return [...this.connections.values()];
  }

  /** @throws OAuthProviderNotConfigured */
  get(name: ProviderName): ProviderConnection<ProviderName> {
    const connection = this.connections.get(name);
    if (connection === undefined) throw new OAuthProviderNotConfigured();
    return connection;
  }
}
