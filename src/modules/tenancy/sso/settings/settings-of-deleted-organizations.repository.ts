import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';

/**
 * Removes the sign-in settings of an organization when it is deleted. Its row stays until its projects are removed, so
 * the cascade would keep its domains from other organizations, and its secrets, for longer than needed.
 */
@Injectable()
export class SettingsOfDeletedOrganizationsRepository {
  constructor(private readonly database: Database) {}

  async remove({ organizationId }: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<void> {
    for (const statement of [
      `DELETE FROM oauth_identities /* tenant: people of the connections of the organization */
       WHERE issuer IN (SELECT 'connection:' || id FROM sso_connections WHERE organization_id = $1)`,
      'DELETE FROM sso_connections WHERE organization_id = $1',
      'DELETE FROM sso_domains WHERE organization_id = $1',
      'DELETE FROM sso_roles WHERE organization_id = $1',
    ])
      await this.database.execute(statement, [organizationId], tx);
  }
}
