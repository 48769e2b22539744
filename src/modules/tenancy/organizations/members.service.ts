import { Injectable } from '@nestjs/common';
import {
  AdminRoleRequired,
  NotAnOrganizationMember,
  type OrganizationScope,
  OwnerRoleRequired,
} from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { canChangeRole, canGrant, canRevoke, type GrantableRole } from './member-authority.js';
import { memberResponse, type MemberResponse } from './members.dto.js';
import { type MemberRow, MembersReader } from './members.reader.js';
import { MembershipChangesService } from './membership-changes.service.js';
import { MemberNotFound, OwnerRoleIsFixed, OwnerStays } from './organizations.errors.js';
import { OrganizationsReader } from './organizations.reader.js';

/** Lists the members of an organization, changes their roles and removes them. */
@Injectable()
export class MembersService {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsReader,
    private readonly members: MembersReader,
    private readonly changes: MembershipChangesService,
  ) {}

  async list(scope: OrganizationScope): Promise<MemberResponse[]> {
    return (await this.members.list(scope)).map((member) => memberResponse(scope, member));
  }

  /**
   * Changes the role of a member. When the member already has the role, nothing changes, and individual project roles
   * stay.
   */
  async changeRole(scope: OrganizationScope, userId: string, role: GrantableRole): Promise<MemberResponse> {
    return this.database.transaction(async (tx) => {
      const { caller, target } = await this.both(scope, userId, tx);
      if (target.role === 'owner') throw new OwnerRoleIsFixed();
      if (!canChangeRole(caller, target) || !canGrant(caller, role)) throw refusal(caller);
      if (target.role !== role) await this.changes.changeRole(scope, caller, target, role, tx);
      return memberResponse({ ...scope, role: caller.role }, { ...target, role });
    });
  }

  /** Removes a member, who loses access with the next request. A notification makes open streams check access again. */
  async remove(scope: OrganizationScope, userId: string): Promise<{ message: string }> {
    return this.database.transaction(async (tx) => {
      const { caller, target } = await this.both(scope, userId, tx);
      if (target.role === 'owner') throw new OwnerStays();
      if (!canRevoke(caller, target)) throw refusal(caller);
      await this.changes.leave(scope, caller, target, tx);
      return { message: caller.userId === userId ? 'You have left the organization' : 'Member removed' };
    });
  }

  /**
   * Reads both members under the organization's lock, because the state that the guard read may have changed while this
   * request waited for the lock.
   */
  private async both(
    scope: OrganizationScope,
    userId: string,
    tx: Db,
  ): Promise<{ caller: MemberRow; target: MemberRow }> {
    await this.organizations.lock(scope, tx);
    const caller = await this.members.find(scope, scope.userId, tx);
    if (caller === null) throw new NotAnOrganizationMember();
    const target = userId === caller.userId ? caller : await this.members.find(scope, userId, tx);
    if (target === null) throw new MemberNotFound();
    return { caller, target };
  }
}

function refusal(caller: MemberRow): Error {
  return caller.role === 'admin' ? new OwnerRoleRequired() : new AdminRoleRequired();
}
