import { Injectable } from '@nestjs/common';
import type { OrganizationId, OrganizationScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { SsoFault } from './sso-fault.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** Reads the domains that organizations have verified. */
@Injectable()
export class SsoDomainsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Refuses a sign-in through a connection whose organization has verified no domain. Nobody could sign in through it,
   * and it would redirect browsers to a URL of the organization's choice.
   * @throws SsoFault
   */
  async requireAny(scope: Tenant): Promise<void> {
    if ((await this.verifiedOf(scope)).length > 0) return;
    throw new SsoFault('sso_domain', 'the organization has verified no domain');
  }

  /** Returns the verified domains of an organization, in lower-case A-labels. */
  async verifiedOf({ organizationId }: Tenant, db?: Db): Promise<string[]> {
    const rows = await this.database.rows<{ domain: string }>(
      'SELECT domain FROM sso_domains WHERE organization_id = $1 AND verified_at IS NOT NULL ORDER BY domain',
      [organizationId],
      db,
    );
    return rows.map(({ domain }) => domain);
  }

  /**
   * Returns the organization that has verified a domain, or null.
   * @param domain the domain in lower-case A-labels
   */
  async organizationOf(domain: string): Promise<OrganizationId | null> {
    const [row] = await this.database.rows<{ id: OrganizationId }>(
      `SELECT d.organization_id AS id FROM sso_domains d
       JOIN organizations o ON o.id = d.organization_id AND o.deleted_at IS NULL
       WHERE d.domain = $1 /* tenant: whoever has verified the domain */ AND d.verified_at IS NOT NULL`,
      [domain],
    );
    return row?.id ?? null;
  }
}
