import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { AccountOwnsOrganization, OnAccountDeleted } from '../../identity/users/index.js';
import { MembersReader } from './members.reader.js';
import { MembershipChangesService } from './membership-changes.service.js';
import { OrganizationsRepository } from './organizations.repository.js';

/** Whoever closes their account leaves their organizations, as anybody leaves them: audited and told. Owners cannot leave. */
@Injectable()
export class MembershipsOfDeletedAccounts extends OnAccountDeleted {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly members: MembersReader,
    private readonly changes: MembershipChangesService,
  ) {
    super();
  }

  override lockFirst(userId: UserId, tx: Db): Promise<void> {
    return this.organizations.lockAllOf({ userId }, tx);
  }

  async accountDeleted(userId: UserId, tx: Db): Promise<void> {
    if ((await this.organizations.plansOwnedBy({ userId }, tx)).length > 0) throw new AccountOwnsOrganization();
    for (const scope of await this.organizations.idsOf({ userId }, tx)) {
      const member = await this.members.find(scope, userId, tx);
      if (member !== null) await this.changes.leave(scope, member, member, tx);
    }
  }
}
