import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { SsoConnectionsRepository } from '../sso-connections.repository.js';
import { SsoDomainsRepository } from '../sso-domains.repository.js';
import { domainOf } from '../sso-sign-in.service.js';
import type { SsoProviderResponse, SsoStartResponse } from './oidc.dto.js';

/** Lists the providers that somebody can sign in by. */
@Injectable()
export class SsoDiscoveryService {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly domains: SsoDomainsRepository,
    private readonly connections: SsoConnectionsRepository,
  ) {}

  providers(): SsoProviderResponse[] {
    return this.config.oidcProviders.map(({ name, label, icon }) => ({ name, label, icon, start_url: startOf(name) }));
  }

  /**
   * Returns the providers for addresses of a domain: those of the configuration that are for this domain, and the
   * enabled connections of the organization that has verified it. Accounts are not looked up.
   */
  async discover(email: string): Promise<SsoStartResponse[]> {
    const domain = domainOf(email);
    const configured = this.config.oidcProviders
      .filter(({ allowedDomains }) => allowedDomains?.includes(domain) === true)
      .map(({ name, label }) => ({ label, protocol: 'oidc' as const, start_url: startOf(name) }));
    const organizationId = await this.domains.organizationOf(domain);
    if (organizationId === null) return configured;
    const connections = await this.connections.enabledOf({ organizationId });
    return [
      ...configured,
      ...connections.map(({ id, label, protocol }) => ({ label, protocol, start_url: startOf(id, protocol) })),
    ];
  }
}

function startOf(id: string, protocol: 'oidc' | 'saml' = 'oidc'): string {
  return `/sso/${protocol}/${id}/start`;
}
