import { Injectable } from '@nestjs/common';
import { AdminRoleRequired, NotAnOrganizationMember, type OrganizationScope, roleAtLeast } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { MembersReader } from './members.reader.js';
import type { Organization } from './organization.entity.js';
import { OrganizationsReader } from './organizations.reader.js';

/**
 * How every act on an organization and what belongs to it begins: its row is locked before any other, so that acts
 * follow each other and never wait in a circle, and the caller's role is read again, since what the guard read may
 * have changed while this waited for another act, and held against what the route asks for, as the scope carries it.
 */
@Injectable()
export class OrganizationActsService {
  constructor(
    private readonly organizations: OrganizationsReader,
    private readonly members: MembersReader,
  ) {}

  /** @throws NotAnOrganizationMember or AdminRoleRequired when the caller has lost the role meanwhile */
  async begin(scope: OrganizationScope, tx: Db): Promise<Organization> {
    const organization = await this.organizations.lock(scope, tx);
    const caller = await this.members.find(scope, scope.userId, tx);
    if (caller === null) throw new NotAnOrganizationMember();
    if (!roleAtLeast(caller.role, scope.needed)) throw new AdminRoleRequired();
    return organization;
  }
}
