import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { SsoConnection } from '../sso-connection.entity.js';
import { issuerOf } from '../sso-sign-in.service.js';

/**
 * Removes the sign-in settings of an organization when it is deleted. The organization's row stays until its projects
 * are removed. A cascade from this row would therefore keep the domains from other organizations, and the secrets
 * stored, for too long.
 */
@Injectable()
export class SettingsOfDeletedOrganizationsRepository {
  constructor(private readonly database: Database) {}

  async remove({ organizationId }: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<void> {
    const connections = await this.database.repository(SsoConnection, tx).findBy({ organizationId });
    await this.database.execute(
      'DELETE FROM oauth_identities WHERE issuer = ANY($1) /* tenant: people of the connections of the organization */',
      [connections.map(issuerOf)],
      tx,
    );
    for (const statement of [
      'DELETE FROM sso_connections WHERE organization_id = $1',
      'DELETE FROM sso_domains WHERE organization_id = $1',
      'DELETE FROM sso_roles WHERE organization_id = $1',
    ])
      await this.database.execute(statement, [organizationId], tx);
  }
}
