import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { SsoConnection } from './sso-connection.entity.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/** The maximum number of connections of an organization. */
export const MAX_CONNECTIONS = 10;

/** The columns that a caller sets. */
export type NewSsoConnection = Omit<SsoConnection, 'organizationId' | 'createdAt' | 'updatedAt'>;

/** Stores the identity providers of organizations. */
@Injectable()
export class SsoConnectionsRepository {
  constructor(private readonly database: Database) {}

  /** Returns an enabled connection, or null. Connections of deleted organizations have been removed. */
  async enabled(id: string, db?: Db): Promise<SsoConnection | null> {
    return this.database
      .repository(SsoConnection, db)
      .findOneBy({ /* tenant: whoever signs in */ id, isEnabled: true });
  }

  /** Returns the enabled connections of an organization, oldest first. */
  enabledOf({ organizationId }: Tenant): Promise<SsoConnection[]> {
    return this.database
      .repository(SsoConnection)
      .find({ where: { organizationId, isEnabled: true }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /**
   * Returns whether any organization has an enabled connection and a verified domain, so that its people can sign in.
   */
  async isAnyUsable(): Promise<boolean> {
    const [row] = await this.database.rows<{ found: boolean }>(
      `SELECT EXISTS (
         SELECT 1 FROM sso_domains d
         JOIN sso_connections c ON c.organization_id = d.organization_id AND c.is_enabled
         WHERE d.verified_at IS NOT NULL /* tenant: any, and nobody learns which */) AS found`,
    );
    return row?.found === true;
  }

  /** Returns all connections of an organization, oldest first. */
  list({ organizationId }: Tenant, db?: Db): Promise<SsoConnection[]> {
    return this.database
      .repository(SsoConnection, db)
      .find({ where: { organizationId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  find({ organizationId }: Tenant, id: string, db?: Db): Promise<SsoConnection | null> {
    return this.database.repository(SsoConnection, db).findOneBy({ organizationId, id });
  }

  async insert({ organizationId }: Tenant, connection: NewSsoConnection, tx: Db): Promise<void> {
    await this.database.repository(SsoConnection, tx).insert({ ...connection, organizationId });
  }

  /** Changes some columns. @returns false when the organization has no such connection */
  async update(
    { organizationId }: Tenant,
    id: string,
    change: Partial<Omit<NewSsoConnection, 'id' | 'protocol'>>,
    tx: Db,
  ): Promise<boolean> {
    const { affected } = await this.database
      .repository(SsoConnection, tx)
      .update({ organizationId, id }, { ...change, updatedAt: () => 'clock_timestamp()' });
    return affected === 1;
  }

  /** @returns false when the organization has no such connection */
  async delete({ organizationId }: Tenant, id: string, tx: Db): Promise<boolean> {
    const { affected } = await this.database.repository(SsoConnection, tx).delete({ organizationId, id });
    return affected === 1;
  }
}
