import { Injectable } from '@nestjs/common';
import type { OrganizationScope, UserId } from '../../access/index.js';
import type { Db } from '../../../platform/database/database.js';
import { AuditWriter } from '../../identity/audit/index.js';
import type { GrantableRole, Member } from './member-authority.js';
import { MembersRepository } from './members.repository.js';
import { MembershipNotifier } from './membership.notifier.js';

type Tenant = Pick<OrganizationScope, 'organizationId'>;

/**
 * How a person became a member: by an invitation, by a sign-in through an identity provider, or by a provider that uses
 * SCIM.
 */
export type JoinedBy =
  { readonly invitation_id: string } | { readonly sign_in_provider: string } | { readonly scim_token_id: string };

/**
 * The only code that creates, changes and ends memberships. It writes the membership, the project memberships, the
 * audit event and the notification in one transaction. The caller must have locked the organization and checked
 * permissions.
 */
@Injectable()
export class MembershipChangesService {
  constructor(
    private readonly members: MembersRepository,
    private readonly audit: AuditWriter,
    private readonly notifications: MembershipNotifier,
  ) {}

  /** Returns false and changes nothing when the person is already a member. */
  async join(scope: Tenant, joining: { userId: UserId; role: GrantableRole; by: JoinedBy }, tx: Db): Promise<boolean> {
    const { userId, role, by } = joining;
    if (!(await this.members.insert(scope, userId, role, tx))) return false;
    const actor = 'scim_token_id' in by ? null : userId;
    await this.record(scope, actor, userId, 'member.joined', { role, ...by }, tx);
    return true;
  }

  /** @param actor null when an identity provider makes the change */
  async changeRole(scope: Tenant, actor: Member | null, target: Member, role: GrantableRole, tx: Db): Promise<void> {
    await this.members.updateRole(scope, target.userId, role, tx);
    await this.record(
      scope,
      actor?.userId ?? null,
      target.userId,
      'member.role_changed',
      { from: target.role, to: role },
      tx,
    );
  }

  /** Gives several members one role, with a fixed number of statements. Only for identity providers. */
  async changeRoles(scope: Tenant, userIds: readonly UserId[], role: GrantableRole, tx: Db): Promise<void> {
    const { organizationId } = scope;
    const changed = await this.members.updateRoles(scope, userIds, role, tx);
    await this.audit.recordEach(
      { actorUserId: null, organizationId, action: 'member.role_changed', targetType: 'user' },
      changed.map(({ userId, from }) => ({ targetId: userId, detail: { from, to: role } })),
      tx,
    );
    await this.notifications.publishAll(
      changed.map(({ userId }) => ({ userId, organizationId })),
      tx,
    );
  }

  /** @param actor null when an operator of the service or an identity provider makes the change */
  async leave(scope: Tenant, actor: Member | null, target: Member, tx: Db): Promise<void> {
    await this.members.delete(scope, target.userId, tx);
    const detail = { role: target.role, by_themselves: actor?.userId === target.userId };
    await this.record(scope, actor?.userId ?? null, target.userId, 'member.removed', detail, tx);
  }

  /** Makes a member the owner, and the former owner an admin. Only for operators of the service. */
  async transferOwnership(scope: Tenant, owner: Member, member: Member, tx: Db): Promise<void> {
    // The former owner changes first, because an index allows only one owner at a time.
    await this.members.updateRole(scope, owner.userId, 'admin', tx);
    await this.members.updateRole(scope, member.userId, 'owner', tx);
    await this.members.setOwner(scope, member.userId, tx);
    await this.record(scope, null, owner.userId, 'member.role_changed', { from: 'owner', to: 'admin' }, tx);
    await this.record(scope, null, member.userId, 'member.role_changed', { from: member.role, to: 'owner' }, tx);
  }

  private async record(
    { organizationId }: Tenant,
    actorUserId: string | null,
    userId: UserId,
    action: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record({ actorUserId, organizationId, action, targetType: 'user', targetId: userId, detail }, tx);
    await this.notifications.publish({ userId, organizationId }, tx);
  }
}
