import { Injectable } from '@nestjs/common';
import { roleAtLeast, type UserScope } from '../../access/index.js';
import { constantTimeEqual, sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { MembersReader, MembershipChangesService, OrganizationsReader } from '../organizations/index.js';
import type { Invitation } from './invitation.entity.js';
import { InvitationAuditWriter } from './invitation-audit.writer.js';
import { maskedAddress, UsersReader } from '../../identity/users/index.js';
import {
  type AcceptedInvitationResponse,
  invitationResponse,
  type InvitationResponse,
  type ReceivedInvitationResponse,
} from './invitations.dto.js';
import {
  AlreadyMember,
  InvalidInvitationToken,
  InvitationNotFound,
  InvitationOfAnother,
  InviterWithoutRight,
  OVER,
} from './invitations.errors.js';
import { InvitationsRepository } from './invitations.repository.js';
import { InvitedPersonFinder } from './invited-person.finder.js';

/** Shows an invitation to the invited person, and accepts or declines it for them. */
@Injectable()
export class InvitationAnswersService {
  constructor(
    private readonly database: Database,
    private readonly organizations: OrganizationsReader,
    private readonly members: MembersReader,
    private readonly changes: MembershipChangesService,
    private readonly invitations: InvitationsRepository,
    private readonly audits: InvitationAuditWriter,
    private readonly invited: InvitedPersonFinder,
    private readonly users: UsersReader,
  ) {}

  /** Returns the organization that the person is invited to join, and who invited them. */
  async describe(id: string): Promise<ReceivedInvitationResponse> {
    const invitation = await this.get(id);
    const organization = await this.organizations.get(invitation);
    const inviter = invitation.invitedBy === null ? null : await this.users.findById(invitation.invitedBy);
    return {
      id,
      organization_name: organization.name,
      role: invitation.role,
      invited_by: inviter === null ? null : (inviter.name ?? maskedAddress(inviter.email)),
      status: invitation.status,
      expires_at: invitation.expiresAt.toISOString(),
    };
  }

  /**
   * Makes the caller a member of the organization and of all its projects.
   * @param token the token of the link in the e-mail. When it is undefined, the caller's verified address is the only
   * proof
   */
  async accept(scope: UserScope, id: string, token: string | undefined): Promise<AcceptedInvitationResponse> {
    const { userId } = scope;
    const { organizationId, role } = await this.answer(scope, id, 'accept', async (invitation, tx) => {
      if (token !== undefined && !constantTimeEqual(sha256(token), invitation.tokenHash)) {
        throw new InvalidInvitationToken();
      }
      refuseUnlessPending(invitation);
      if (!(await this.inviterMayInvite(invitation, tx))) throw new InviterWithoutRight();
      const joining = { userId, role: invitation.role, by: { invitation_id: id } };
      if (!(await this.changes.join(invitation, joining, tx))) throw new AlreadyMember();
      await this.invitations.end(invitation, id, 'accepted', tx);
    });
    return { organization_id: organizationId, role, status: 'accepted' };
  }

  async decline(scope: UserScope, id: string): Promise<InvitationResponse> {
    await this.answer(scope, id, 'decline', async (invitation, tx) => {
      refuseUnlessPending(invitation);
      await this.invitations.end(invitation, id, 'declined', tx);
    });
    return invitationResponse(await this.get(id));
  }

  /** Runs `work` under the locks of the organization and the invitation, which are always acquired in this order. */
  private async answer(
    scope: UserScope,
    id: string,
    act: 'accept' | 'decline',
    work: (invitation: Invitation, tx: Db) => Promise<void>,
  ): Promise<Invitation> {
    const known = await this.get(id);
    const { organizationId, role } = known;
    const audited = { act, actorUserId: scope.userId, organizationId, invitationId: id, requestedRole: role };
    await this.audits.withRefusals(audited, () =>
      this.database.transaction(async (tx) => {
        await this.organizations.lock(known, tx);
        const invitation = await this.invitations.lock(known, id, tx);
        if (invitation === null) throw new InvitationNotFound();
        if (!(await this.invited.isThis(scope, invitation, tx))) throw new InvitationOfAnother();
        await work(invitation, tx);
        await this.audits.done(audited, tx);
      }),
    );
    return known;
  }

  /**
   * Returns whether the inviter is still an admin or the owner. This is checked again when the invitation is accepted.
   */
  private async inviterMayInvite(invitation: Invitation, tx: Db): Promise<boolean> {
    if (invitation.invitedBy === null) return false;
    const inviter = await this.members.find(invitation, invitation.invitedBy, tx);
    return inviter !== null && roleAtLeast(inviter.role, 'admin');
  }

  private async get(id: string): Promise<Invitation> {
    const invitation = await this.invitations.find(id);
    if (invitation === null) throw new InvitationNotFound();
    return invitation;
  }
}

function refuseUnlessPending(invitation: Invitation): void {
  if (invitation.status !== 'pending') throw new OVER[invitation.status]();
}
