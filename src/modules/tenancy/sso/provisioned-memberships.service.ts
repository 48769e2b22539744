import { Injectable } from '@nestjs/common';
import type { OrganizationScope, UserId } from '../../access/index.js';
import { parseUuid } from '../../../platform/http/validation/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { OnIdentityLinked, type ProvidedMembership, type ProviderSession } from '../../identity/oauth/index.js';
import { MembershipChangesService, OrganizationsReader } from '../organizations/index.js';
import { SsoConnectionsRepository } from './sso-connections.repository.js';
import { SsoDomainsRepository } from './sso-domains.repository.js';
import { SsoMembershipsRepository } from './sso-memberships.repository.js';
import { SsoSessionsRepository } from './sso-sessions.repository.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/**
 * Creates memberships for people who sign in through an identity provider. A membership is created only once: a later
 * sign-in neither raises its role nor restores it after it was ended.
 */
@Injectable()
export class ProvisionedMembershipsService extends OnIdentityLinked {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsReader,
    private readonly made: SsoMembershipsRepository,
    private readonly changes: MembershipChangesService,
    private readonly connections: SsoConnectionsRepository,
    private readonly domains: SsoDomainsRepository,
    private readonly sessions: SsoSessionsRepository,
  ) {
    super();
  }

  /** Creates the membership in a separate transaction, unless it was created before or the organization is deleted. */
  async makeOnce(userId: UserId, membership: ProvidedMembership, provider: string): Promise<void> {
    if ((await this.made.find(membership, userId)) !== null) return;
    await this.database.transaction(async (tx) => {
      await this.lockFirst(membership, tx);
      await this.make(userId, membership, provider, tx);
    });
  }

  async lockFirst({ organizationId }: Tenant, tx: Db): Promise<void> {
    await this.organizations.lock({ organizationId }, tx);
  }

  /**
   * Returns whether the identity may be linked. A configured provider exists as long as the process. A connection or a
   * domain may have been removed meanwhile.
   */
  async mayLink({ provider }: ProviderSession, emailKey: string, tx: Db): Promise<boolean> {
    if (parseUuid(provider) === null) return true;
    const connection = await this.connections.enabled(provider, tx);
    if (connection === null) return false;
    const domains = await this.domains.verifiedOf(connection, tx);
    return domains.includes(emailKey.slice(emailKey.lastIndexOf('@') + 1));
  }

  sessionOpened(sessionId: string, session: ProviderSession, tx: Db): Promise<void> {
    return this.sessions.insert(sessionId, session, tx);
  }

  identityLinked(userId: UserId, membership: ProvidedMembership, provider: string, tx: Db): Promise<void> {
    return this.make(userId, membership, provider, tx);
  }

  private async make(userId: UserId, membership: ProvidedMembership, provider: string, tx: Db): Promise<void> {
    const { organizationId, role } = membership;
    if ((await this.organizations.get({ organizationId }, tx)).deletedAt !== null) return;
    if (!(await this.made.insert({ organizationId }, { userId, role, madeBy: 'sign-in' }, tx))) return;
    await this.changes.join({ organizationId }, { userId, role, by: { sign_in_provider: provider } }, tx);
  }
}
