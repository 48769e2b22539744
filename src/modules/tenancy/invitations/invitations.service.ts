import { Injectable } from '@nestjs/common';
import type { OrganizationScope } from '../../access/index.js';
import { randomToken, sha256 } from '../../../platform/crypto/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { MembersReader, OrganizationAuthorization } from '../organizations/index.js';
import { emailKeyOf } from '../../identity/users/index.js';
import type { Invitation } from './invitation.entity.js';
import { type InvitationAct, InvitationAuditWriter } from './invitation-audit.writer.js';
import { InvitationMailer } from './invitation.mailer.js';
import { MOST_A_DAY } from './invitation-states.js';
import {
  type CreateInvitationRequest,
  type InvitationAuditResponse,
  invitationAuditResponse,
  invitationResponse,
  type InvitationResponse,
} from './invitations.dto.js';
import {
  AlreadyMember,
  InvitationLimit,
  InvitationNotFound,
  InvitationPending,
  OVER,
  ResendTooSoon,
} from './invitations.errors.js';
import { InvitationsRepository } from './invitations.repository.js';

/** Creates, resends, revokes and lists invitations for admins and the owner of an organization. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly database: Database,
    private readonly authorization: OrganizationAuthorization,
    private readonly members: MembersReader,
    private readonly invitations: InvitationsRepository,
    private readonly audits: InvitationAuditWriter,
    private readonly mails: InvitationMailer,
  ) {}

  async list(scope: OrganizationScope): Promise<InvitationResponse[]> {
    return (await this.invitations.list(scope)).map(invitationResponse);
  }

  async auditsOf(scope: OrganizationScope, limit: number): Promise<InvitationAuditResponse[]> {
    return (await this.audits.list(scope, limit)).map(invitationAuditResponse);
  }

  /**
   * Creates an invitation and sends its e-mail. The organization's row is locked while the invitations of the day are
   * counted, so that parallel requests run one after another.
   */
  async create(scope: OrganizationScope, { email, role }: CreateInvitationRequest): Promise<InvitationResponse> {
    const id = newId();
    const token = randomToken();
    const act = { act: 'create', actorUserId: scope.userId, organizationId: scope.organizationId } as const;
    await this.audits.withRefusals({ ...act, invitationId: null, requestedRole: role }, () =>
      this.database.transaction(async (tx) => {
        await this.authorization.lockAndAuthorize(scope, tx);
        const emailKey = emailKeyOf(email);
        if ((await this.members.findByEmailKey(scope, emailKey, tx)) !== null) throw new AlreadyMember();
        await this.expireFormer(scope, emailKey, tx);
        const invitation = { id, email, emailKey, role, tokenHash: sha256(token), invitedBy: scope.userId };
        const madeToday = await this.invitations.countOfLastDay(scope, tx);
        if (!(await this.invitations.insert(scope, invitation, tx))) throw new InvitationPending();
        if (madeToday >= MOST_A_DAY) {
          const seconds = await this.invitations.secondsUntilRoom(scope, id, tx);
          throw new InvitationLimit({ 'Retry-After': String(seconds) });
        }
        await this.audits.done({ ...act, invitationId: id, requestedRole: role }, tx);
      }),
    );
    return this.mailed(id, token);
  }

  /**
   * Sends a new token by e-mail and restarts the time until expiry. The caller becomes the inviter, and must still have
   * the right to invite when the invitation is accepted.
   */
  async resend(scope: OrganizationScope, id: string): Promise<InvitationResponse> {
    const token = randomToken();
    await this.act(scope, id, 'resend', async (tx) => {
      const renewal = { tokenHash: sha256(token), invitedBy: scope.userId };
      if (await this.invitations.renew(scope, id, renewal, tx)) return;
      const seconds = await this.invitations.secondsUntilRenewal(scope, id, tx);
      throw new ResendTooSoon({ 'Retry-After': String(seconds) });
    });
    return this.mailed(id, token);
  }

  async revoke(scope: OrganizationScope, id: string): Promise<InvitationResponse> {
    await this.act(scope, id, 'revoke', (tx) => this.invitations.end(scope, id, 'revoked', tx));
    return invitationResponse(await this.get(id));
  }

  /** Runs one operation on a pending invitation under the locks of the organization and the invitation. */
  private async act(
    scope: OrganizationScope,
    id: string,
    act: InvitationAct,
    work: (tx: Db) => Promise<void>,
  ): Promise<void> {
    const { organizationId, userId: actorUserId } = scope;
    const { role } = await this.get(id);
    const audited = { act, actorUserId, organizationId, invitationId: id, requestedRole: role };
    await this.audits.withRefusals(audited, () =>
      this.database.transaction(async (tx) => {
        await this.authorization.lockAndAuthorize(scope, tx);
        const invitation = await this.invitations.lock(scope, id, tx);
        if (invitation === null) throw new InvitationNotFound();
        if (invitation.status !== 'pending') throw new OVER[invitation.status]();
        await work(tx);
        await this.audits.done(audited, tx);
      }),
    );
  }

  /** Marks expired invitations of the address, so that they do not block a new one until maintenance runs. */
  private async expireFormer({ organizationId }: OrganizationScope, emailKey: string, tx: Db): Promise<void> {
    for (const { id, role } of await this.invitations.expire(tx, { organizationId, emailKey })) {
      const act = { act: 'expire', actorUserId: null, organizationId, invitationId: id, requestedRole: role } as const;
      await this.audits.done(act, tx);
    }
  }

  private async mailed(id: string, token: string): Promise<InvitationResponse> {
    await this.mails.send(await this.get(id), token);
    return invitationResponse(await this.get(id));
  }

  private async get(id: string): Promise<Invitation> {
    const invitation = await this.invitations.find(id);
    if (invitation === null) throw new InvitationNotFound();
    return invitation;
  }
}
