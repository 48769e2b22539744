import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../../../config/index.js';
import { SsoConnectionsRepository } from '../sso-connections.repository.js';
import { SsoDomainsRepository } from '../sso-domains.repository.js';
import { domainOf } from '../sso-sign-in.service.js';
import type { SsoProvidersResponse, SsoStartResponse } from './oidc.dto.js';

/** Lists the identity providers through which people can sign in. */
@Injectable()
export class SsoDiscoveryService {
  private known = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly domains: SsoDomainsRepository,
    private readonly connections: SsoConnectionsRepository,
  ) {}

  /** The last `by_address` of this process. The sign-in page uses it to reserve space before the answer arrives. */
  get lastByAddress(): boolean {
    return this.known;
  }

  /**
   * Returns what the sign-in page offers: the providers of the configuration, and whether further ones can be found by
   * e-mail address.
   */
  async providers(): Promise<SsoProvidersResponse> {
    this.known = await this.connections.isAnyUsable();
    return {
      providers: this.config.oidcProviders.map(({ name, label, icon }) => ({
        name,
        label,
        icon,
        start_url: startOf(name),
      })),
      by_address: this.known,
    };
  }

  /**
   * Returns the providers for an e-mail address: the configured ones that allow its domain, and the enabled connections
   * of the organization that has verified its domain. Accounts are not looked up.
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
