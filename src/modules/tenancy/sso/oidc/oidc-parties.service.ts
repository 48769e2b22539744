import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, type OidcProvider } from '../../../../config/index.js';
import { Clock } from '../../../../platform/clock/index.js';
import { CredentialCipher } from '../../../../platform/crypto/index.js';
import { parseUuid } from '../../../../platform/http/validation/index.js';
import { OutboundHttp } from '../../../../platform/outbound-http/index.js';
import {
  type CompanyPerson,
  type CompanySettings,
  guardedTransport,
  type Provider,
  ProviderConnection,
  type ProvidedMembership,
} from '../../../identity/oauth/index.js';
import { OrganizationsReader } from '../../organizations/index.js';
import { CLIENT_SECRET, type SsoConnection } from '../sso-connection.entity.js';
import { SsoConnectionsRepository } from '../sso-connections.repository.js';
import { SsoDomainsRepository } from '../sso-domains.repository.js';
import { SsoFault } from '../sso-fault.js';
import { roleOf, SsoRolesRepository } from '../sso-roles.repository.js';
import { issuerOf, type SsoArrival } from '../sso-sign-in.service.js';
import { ConnectionCache } from './connection-cache.js';

const DEFAULT_SCOPES = 'openid email profile';
const DEFAULT_GROUPS_CLAIM = 'groups';

/** An OpenID Connect provider: one of the configuration, or the connection of an organization. */
export interface OidcParty {
  /** The name in the configuration, or the id of the connection. */
  readonly id: string;
  readonly label: string;
  readonly connection: ProviderConnection;
  readonly settings: CompanySettings;
  /** @throws SsoFault when nobody can sign in through the provider yet */
  requireReady(): Promise<void>;
  /** Returns whether the provider must send groups, because a role depends on them. */
  needsGroups(): Promise<boolean>;
  /** Returns the identity, the membership and the allowed domains for a sign-in of the person. */
  admissionOf(person: CompanyPerson): Promise<Pick<SsoArrival, 'person' | 'membership' | 'domains'>>;
}

/** Finds the OpenID Connect providers of the configuration and of organizations. */
@Injectable()
export class OidcPartiesService {
  private readonly configured: ReadonlyMap<string, OidcParty>;
  private readonly cache = new ConnectionCache();
  private readonly httpsOnly: boolean;

  constructor(
    @Inject(CONFIG) { oidcProviders, environment }: Config,
    private readonly clock: Clock,
    private readonly outbound: OutboundHttp,
    private readonly cipher: CredentialCipher,
    private readonly connections: SsoConnectionsRepository,
    private readonly domains: SsoDomainsRepository,
    private readonly roles: SsoRolesRepository,
    private readonly organizations: OrganizationsReader,
  ) {
    this.httpsOnly = environment === 'production';
    this.configured = new Map(oidcProviders.map((settings) => [settings.name, this.partyOf(settings)]));
  }

  /** @throws SsoFault when the provider does not exist, or the connection is disabled */
  async find(id: string): Promise<OidcParty> {
    const party = this.configured.get(id) ?? (await this.ofOrganization(id));
    if (party === null) throw new SsoFault('sso_unknown_provider', 'there is no such provider');
    return party;
  }

  private partyOf(provider: OidcProvider): OidcParty {
    const { name, label, issuer, clientId, clientSecret, scopes, groupsClaim, trustsEmail } = provider;
    const settings = { groupsClaim, trustsEmail };
    return {
      id: name,
      label,
      settings,
      connection: new ProviderConnection(
        providerOf({ name, issuer, clientId, scopes, settings, clientSecret: () => clientSecret }),
        { httpsOnly: this.httpsOnly, clock: this.clock },
      ),
      requireReady: () => Promise.resolve(),
      needsGroups: () => Promise.resolve(provider.groups.length > 0),
      admissionOf: async (person) => ({
        person,
        membership: await this.membershipBy(provider, person.groups),
        domains: provider.allowedDomains,
      }),
    };
  }

  private async ofOrganization(id: string): Promise<OidcParty | null> {
    const uuid = parseUuid(id);
    const stored = uuid === null ? null : await this.connections.enabled(uuid);
    if (stored === null || stored.protocol !== 'oidc') return null;
    const { organizationId, label, trustsEmail } = stored;
    const settings = { groupsClaim: stored.groupsClaim ?? DEFAULT_GROUPS_CLAIM, trustsEmail };
    const connection = this.cache.of(stored.id, stored.updatedAt, () => this.connectionOf(stored, settings));
    return {
      id: stored.id,
      label,
      settings,
      connection,
      requireReady: () => this.domains.requireAny({ organizationId }),
      needsGroups: async () => (await this.roles.of({ organizationId })).groupRoles.length > 0,
      admissionOf: async (person) => {
        const [roles, domains] = await Promise.all([
          this.roles.of({ organizationId }),
          this.domains.verifiedOf({ organizationId }),
        ]);
        return {
          person: { ...person, issuer: issuerOf(stored) },
          membership: { organizationId, role: roleOf(roles, person.groups) },
          domains,
        };
      },
    };
  }

  private connectionOf(stored: SsoConnection, settings: CompanySettings): ProviderConnection {
    const { id, organizationId, issuer, clientId, clientSecret: sealed, scopes } = stored;
    const place = CLIENT_SECRET.placeOf({ id, tenantId: organizationId });
    const provider = providerOf({
      name: id,
      issuer: issuer ?? '',
      clientId: clientId ?? '',
      scopes: scopes ?? DEFAULT_SCOPES,
      settings,
      clientSecret: () => (sealed === null ? null : this.cipher.decrypt(sealed, place)),
    });
    const transport = guardedTransport(this.outbound, organizationId);
    return new ProviderConnection(provider, { httpsOnly: this.httpsOnly, clock: this.clock, transport });
  }

  /**
   * Returns the membership that the configuration gives to a person. The organization is the provider's own, unless the
   * person's groups name only other organizations. The role is the highest role of the person's groups in this
   * organization. Returns null without an organization.
   */
  private async membershipBy(provider: OidcProvider, groups: readonly string[]): Promise<ProvidedMembership | null> {
    const names = new Set(groups);
    const grants = provider.groups.filter(({ group }) => names.has(group));
    const isOwn = grants.length === 0 || grants.some(({ organization }) => organization === provider.organization);
    const slug = isOwn ? provider.organization : (grants[0]?.organization ?? null);
    if (slug === null) return null;
    const organizationId = await this.organizations.idOfSlug(slug);
    if (organizationId === null) return null;
    const groupRoles = grants.filter(({ organization }) => organization === slug);
    return { organizationId, role: roleOf({ defaultRole: provider.role, groupRoles }, groups) };
  }
}

/**
 * Returns the provider's name for the record of a refusal. Unknown names are recorded as one name, because anybody can
 * invent more of them. Different spellings of a connection's id are one name too.
 */
export function nameOf(error: unknown, id: string): string {
  return error instanceof SsoFault && error.code === 'sso_unknown_provider' ? 'unknown' : (parseUuid(id) ?? id);
}

function providerOf({
  scopes,
  settings,
  ...provider
}: Pick<Provider, 'name' | 'issuer' | 'clientId' | 'clientSecret'> & {
  readonly scopes: string;
  readonly settings: CompanySettings;
}): Provider {
  return { ...provider, authorizationParameters: { scope: scopes }, company: settings };
}
