import { Injectable } from '@nestjs/common';
import type { OrganizationScope, UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { AuditWriter } from '../../identity/audit/index.js';
import type { GrantableRole, Member } from './member-authority.js';
import { MembersRepository } from './members.repository.js';
import { MembershipNotifier } from './membership.notifier.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/**
 * The only code that starts, changes and ends memberships. Writes the membership, its project memberships, the audit
 * event and the notification in one transaction. The caller has locked the organization and checked permissions.
 */
@Injectable()
export class MembershipChangesService {
  constructor(
    private readonly members: MembersRepository,
    private readonly audit: AuditWriter,
    private readonly notices: MembershipNotifier,
  ) {}

  /** Returns false and changes nothing when the person is a member already. */
  async join(
    scope: Tenant,
    joining: { userId: UserId; role: GrantableRole; invitationId: string },
    tx: Db,
  ): Promise<boolean> {
    const { userId, role, invitationId } = joining;
    if (!(await this.members.insert(scope, userId, role, tx))) return false;
    await this.record(scope, userId, userId, 'member.joined', { role, invitation_id: invitationId }, tx);
    return true;
  }

  async changeRole(scope: Tenant, actor: Member, target: Member, role: GrantableRole, tx: Db): Promise<void> {
    await this.members.updateRole(scope, target.userId, role, tx);
    await this.record(scope, actor.userId, target.userId, 'member.role_changed', { from: target.role, to: role }, tx);
  }

  async leave(scope: Tenant, actor: Member, target: Member, tx: Db): Promise<void> {
    await this.members.delete(scope, target.userId, tx);
    const detail = { role: target.role, by_themselves: actor.userId === target.userId };
    await this.record(scope, actor.userId, target.userId, 'member.removed', detail, tx);
  }

  private async record(
    { organizationId }: Tenant,
    actorUserId: string,
    userId: UserId,
    action: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record({ actorUserId, organizationId, action, targetType: 'user', targetId: userId, detail }, tx);
    await this.notices.publish({ userId, organizationId }, tx);
  }
}
