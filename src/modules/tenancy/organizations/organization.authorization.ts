import { Injectable } from '@nestjs/common';
import { assertOrganizationRole, NotAnOrganizationMember, type OrganizationScope } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { MembersReader } from './members.reader.js';
import type { Organization } from './organization.entity.js';
import { OrganizationsReader } from './organizations.reader.js';

/**
 * Authorizes every change of an organization inside the transaction of the change. It locks the organization's row
 * before any other row, so that changes run one after another and cannot deadlock. Then it reads the caller's role
 * again, because the role may have changed during the wait for the lock, and compares it with the role that the route
 * requires (`scope.needed`).
 */
@Injectable()
export class OrganizationAuthorization {
  constructor(
    private readonly organizations: OrganizationsReader,
    private readonly members: MembersReader,
  ) {}

  /**
   * @throws NotAnOrganizationMember, AdminRoleRequired or OwnerRoleRequired when the caller has lost the role since the
   *   guard's check
   */
  async lockAndAuthorize(scope: OrganizationScope, tx: Db): Promise<Organization> {
    const organization = await this.organizations.lock(scope, tx);
    const caller = await this.members.find(scope, scope.userId, tx);
    if (caller === null) throw new NotAnOrganizationMember();
    assertOrganizationRole(scope.needed, caller.role);
    return organization;
  }
}
