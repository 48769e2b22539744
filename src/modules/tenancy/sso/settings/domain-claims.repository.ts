import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { SsoDomain } from '../sso-domain.entity.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** Reads and writes the domains that an organization claims. */
@Injectable()
export class DomainClaimsRepository {
  constructor(private readonly database: Database) {}

  /** Returns the domains in the order of their names. */
  list({ organizationId }: Tenant): Promise<SsoDomain[]> {
    return this.database.repository(SsoDomain).find({ where: { organizationId }, order: { domain: 'ASC', id: 'ASC' } });
  }

  find({ organizationId }: Tenant, id: string, db?: Db): Promise<SsoDomain | null> {
    return this.database.repository(SsoDomain, db).findOneBy({ organizationId, id });
  }

  countOf({ organizationId }: Tenant, tx: Db): Promise<number> {
    return this.database.repository(SsoDomain, tx).countBy({ organizationId });
  }

  /** Returns whether another organization has verified the domain. */
  async isOfAnother({ organizationId }: Tenant, domain: string, tx: Db): Promise<boolean> {
    const rows = await this.database.rows(
      `SELECT /* every tenant: a domain is verified for one of them */ FROM sso_domains
       WHERE domain = $2 AND organization_id <> $1 AND verified_at IS NOT NULL`,
      [organizationId, domain],
      tx,
    );
    return rows.length > 0;
  }

  /** Violates the unique constraint of domains when the organization already has the domain. */
  async insert(
    { organizationId }: Tenant,
    claim: Pick<SsoDomain, 'id' | 'domain' | 'challenge'>,
    tx: Db,
  ): Promise<void> {
    await this.database.repository(SsoDomain, tx).insert({ ...claim, organizationId });
  }

  /** Violates the unique index of verified domains when another organization has verified the domain. */
  async verify({ organizationId }: Tenant, id: string, by: 'dns' | 'platform', tx: Db): Promise<void> {
    await this.database.execute(
      `UPDATE sso_domains SET verified_at = clock_timestamp(), verified_by = $3
       WHERE organization_id = $1 AND id = $2 AND verified_at IS NULL`,
      [organizationId, id, by],
      tx,
    );
  }

  async remove({ organizationId }: Tenant, id: string, tx: Db): Promise<void> {
    await this.database.execute(
      'DELETE FROM sso_domains WHERE organization_id = $1 AND id = $2',
      [organizationId, id],
      tx,
    );
  }
}
