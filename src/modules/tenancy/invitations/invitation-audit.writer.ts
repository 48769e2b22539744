import { Injectable } from '@nestjs/common';
import type { OrganizationId, OrganizationScope } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { type AuditEvent, AuditReader, AuditWriter } from '../../identity/audit/index.js';
import type { InvitationRole } from './invitation-states.js';
import { type InvitationRefusal, REASON_CODES } from './invitations.errors.js';
import { isError } from '../../../platform/errors/index.js';

/** The operations on invitations, each with the action of the audit event for its success. */
export const ACTS = {
  create: 'invitation.created',
  resend: 'invitation.resent',
  revoke: 'invitation.revoked',
  accept: 'invitation.accepted',
  decline: 'invitation.declined',
  expire: 'invitation.expired',
} as const;
export type InvitationAct = keyof typeof ACTS;

export const OUTCOMES = ['success', 'refused'] as const;

export interface ActOnInvitation {
  readonly act: InvitationAct;
  /** Null: the invitation expired by time. */
  readonly actorUserId: string | null;
  readonly organizationId: OrganizationId;
  /** Null: the creation of the invitation was refused. */
  readonly invitationId: string | null;
  readonly requestedRole: InvitationRole;
}

/** The `detail` of the audit events that {@link InvitationAuditWriter} writes. */
export interface InvitationAuditDetail {
  readonly act: InvitationAct;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly reason_code: InvitationRefusal | null;
  readonly requested_role: InvitationRole;
}

/** Writes audit events about invitations: successful operations, and refused ones with their reason. */
@Injectable()
export class InvitationAuditWriter {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditWriter,
    private readonly audits: AuditReader,
  ) {}

  /** Records the success of an operation, in the transaction of this operation. */
  async done(act: ActOnInvitation, tx: Db): Promise<void> {
    await this.write(act, ACTS[act.act], null, tx);
  }

  /**
   * Runs an operation. If it is refused, records the refusal after the rollback of its transaction, and throws the
   * error again.
   */
  async withRefusals<T>(act: ActOnInvitation, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      await this.refused(act, error);
      throw error;
    }
  }

  /** Returns audit events about the organization's invitations, newest first. */
  list(scope: OrganizationScope, limit: number): Promise<AuditEvent[]> {
    return this.audits.ofOrganization(scope, { targetType: 'invitation', limit });
  }

  private async refused(act: ActOnInvitation, error: unknown): Promise<void> {
    const reason = isError(error) ? REASON_CODES.get(error.constructor) : undefined;
    if (reason !== undefined) await this.write(act, `invitation.${act.act}_refused`, reason, this.database.db);
  }

  private write(act: ActOnInvitation, action: string, reasonCode: InvitationRefusal | null, db: Db): Promise<void> {
    const detail: InvitationAuditDetail = {
      act: act.act,
      outcome: reasonCode === null ? 'success' : 'refused',
      reason_code: reasonCode,
      requested_role: act.requestedRole,
    };
    return this.audit.record(
      {
        actorUserId: act.actorUserId,
        organizationId: act.organizationId,
        action,
        targetType: 'invitation',
        targetId: act.invitationId,
        detail: { ...detail },
      },
      db,
    );
  }
}
