import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { SsoConnectionsRepository } from '../sso-connections.repository.js';
import { ConnectionIdentitiesRepository } from './connection-identities.repository.js';

/**
 * Removes the sign-in settings of an organization when it is deleted. Its row stays until its projects are removed, so
 * the cascade would keep its domains from other organizations, and its secrets, for longer than needed.
 */
@Injectable()
export class SettingsOfDeletedOrganizationsRepository {
  constructor(
    private readonly database: Database,
    private readonly connections: SsoConnectionsRepository,
    private readonly identities: ConnectionIdentitiesRepository,
  ) {}

  async remove({ organizationId }: Pick<OrganizationScope, 'organizationId'>, tx: Db): Promise<void> {
    for (const { id } of await this.connections.list({ organizationId }, tx)) await this.identities.removeOf(id, tx);
    for (const statement of [
      'DELETE FROM sso_connections WHERE organization_id = $1',
      'DELETE FROM sso_domains WHERE organization_id = $1',
      'DELETE FROM sso_roles WHERE organization_id = $1',
    ])
      await this.database.execute(statement, [organizationId], tx);
  }
}
