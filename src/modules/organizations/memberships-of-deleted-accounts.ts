import { Injectable } from '@nestjs/common';
import type { Db } from '../../platform/database/database.js';
import { OnAccountDeleted } from '../users/index.js';
import { MembersRepository } from './members.repository.js';
import { MembershipChanges } from './membership-changes.js';

/** Whoever closes their account leaves their organizations, as anybody leaves them: audited and told. */
@Injectable()
export class MembershipsOfDeletedAccounts extends OnAccountDeleted {
  constructor(
    private readonly members: MembersRepository,
    private readonly changes: MembershipChanges,
  ) {
    super();
  }

  async accountDeleted(userId: string, tx: Db): Promise<void> {
    for (const scope of await this.members.organizationsOf(userId, tx)) {
      const member = await this.members.find(scope, userId, tx);
      if (member !== null) await this.changes.leave(scope, member, member, tx);
    }
  }
}
