import { Injectable } from '@nestjs/common';
import { type OrganizationId, OrganizationNotFound, type UserId } from '../../access/index.js';
import { AuditWriter } from '../../identity/audit/index.js';
import { UsersReader } from '../../identity/users/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type MemberRow, MembersReader } from './members.reader.js';
import { MembershipChangesService } from './membership-changes.service.js';
import { OrganizationDeletionService } from './organization-deletion.service.js';
import type { Organization } from './organization.entity.js';
import { AlreadyOwner, MemberNotFound, OwnerIsDisabled } from './organizations.errors.js';
import { OrganizationsReader } from './organizations.reader.js';

type Tenant = { readonly organizationId: OrganizationId };

/** The organization was not deleted, for the given reasons. */
export class OrganizationNotDeletable extends Error {
  constructor(readonly reasons: readonly string[]) {
    super(`The organization cannot be deleted: ${reasons.join(', ')}`);
  }
}

/**
 * Operations on organizations for the operators of the service. They need no membership, and their audit events have no
 * actor.
 */
@Injectable()
export class OrganizationAdministrationService {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsReader,
    private readonly members: MembersReader,
    private readonly changes: MembershipChangesService,
    private readonly deletion: OrganizationDeletionService,
    private readonly users: UsersReader,
    private readonly audit: AuditWriter,
  ) {}

  membersOf(tenant: Tenant): Promise<MemberRow[]> {
    return this.members.list(tenant);
  }

  /**
   * Makes a member the owner, and the former owner an admin. The plan's limit on the number of organizations per owner
   * is not checked, as it is not checked for existing organizations after a downgrade.
   * @throws MemberNotFound, AlreadyOwner, OwnerIsDisabled, OrganizationNotFound
   */
  async transfer(tenant: Tenant, userId: UserId): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { ownerId } = await this.lock(tenant, tx);
      const owner = await this.members.find(tenant, ownerId, tx);
      const member = await this.members.find(tenant, userId, tx);
      if (owner === null || member === null) throw new MemberNotFound();
      if (member.userId === owner.userId) throw new AlreadyOwner();
      // The account's row is locked, so that the account cannot be disabled meanwhile.
      if ((await this.users.lock(member.userId, tx)).disabledAt !== null) throw new OwnerIsDisabled();
      await this.changes.transferOwnership(tenant, owner, member, tx);
      await this.audit.record(
        {
          ...tenant,
          actorUserId: null,
          action: 'organization.transferred',
          targetType: 'organization',
          targetId: tenant.organizationId,
          detail: { from: owner.userId, to: member.userId },
        },
        tx,
      );
    });
  }

  /**
   * Deletes the organization with its projects, keys and memberships. The deletion takes effect at the commit.
   * @param options.withMembers whether an organization with other members than the owner may be deleted. Their
   * memberships are ended first
   * @throws OrganizationNotDeletable, OrganizationNotFound
   */
  async delete(tenant: Tenant, { withMembers }: { readonly withMembers: boolean }): Promise<void> {
    await this.database.transaction(async (tx) => {
      const { ownerId } = await this.lock(tenant, tx);
      await this.deletion.lockFirst(ownerId, tx);
      // The owner's organizations are locked before the owner's row, in the same order as in the deletion of an
      // account.
      await this.users.lock(ownerId, tx);
      const ending = { ...tenant, userId: ownerId, actorUserId: null };
      if (withMembers) {
        const others = (await this.members.list(tenant, tx)).filter(({ userId }) => userId !== ownerId);
        for (const member of others) await this.changes.leave(tenant, null, member, tx);
      }
      const obstacle = await this.deletion.obstacle(ending, tx);
      if (obstacle !== null) throw new OrganizationNotDeletable([obstacle]);
      await this.deletion.run(ending, tx);
    });
  }

  private async lock(tenant: Tenant, tx: Db): Promise<Organization> {
    const organization = await this.organizations.lock(tenant, tx);
    if (organization.deletedAt !== null) throw new OrganizationNotFound();
    return organization;
  }
}
