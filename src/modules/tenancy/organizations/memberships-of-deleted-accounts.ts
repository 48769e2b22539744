import { Injectable } from '@nestjs/common';
import type { UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { type AccountDeletion, AccountOwnsOrganization, OnAccountDeleted } from '../../identity/users/index.js';
import { MembersReader } from './members.reader.js';
import { MembershipChangesService } from './membership-changes.service.js';
import { OrganizationDeletionService } from './organization-deletion.service.js';
import { OrganizationsRepository } from './organizations.repository.js';

/**
 * Ends the memberships of an account that is deleted, each with its audit event and notification. Owners cannot leave,
 * so their organizations are deleted, if they requested this and nothing else depends on the organizations.
 */
@Injectable()
export class MembershipsOfDeletedAccounts extends OnAccountDeleted {
  constructor(
    private readonly organizations: OrganizationsRepository,
    private readonly members: MembersReader,
    private readonly changes: MembershipChangesService,
    private readonly deletion: OrganizationDeletionService,
  ) {
    super();
  }

  override async lockFirst(userId: UserId, tx: Db): Promise<void> {
    await this.organizations.lockAllOf({ userId }, tx);
    await this.deletion.lockFirst(userId, tx);
  }

  async accountDeleted(userId: UserId, tx: Db, { deleteOrganizations }: AccountDeletion): Promise<void> {
    const owned = await this.organizations.lockOwnedBy({ userId }, tx);
    if (owned.length > 0 && !deleteOrganizations) throw new AccountOwnsOrganization();
    const staying: string[] = [];
    for (const { id: organizationId, name } of owned) {
      const obstacle = await this.deletion.obstacle({ organizationId, userId, actorUserId: userId }, tx);
      if (obstacle !== null) staying.push(`${name} (${obstacle})`);
    }
    if (staying.length > 0) throw new AccountOwnsOrganization(staying);
    for (const { id: organizationId } of owned)
      await this.deletion.run({ organizationId, userId, actorUserId: userId }, tx);
    for (const scope of await this.organizations.idsOf({ userId }, tx)) {
      const member = await this.members.find(scope, userId, tx);
      if (member !== null) await this.changes.leave(scope, member, member, tx);
    }
  }
}
