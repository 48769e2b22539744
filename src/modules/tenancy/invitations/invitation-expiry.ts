import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import { InvitationAuditWriter } from './invitation-audit.writer.js';
import { InvitationsRepository } from './invitations.repository.js';

/** Stores the status `expired` of invitations that reads already report as expired, each with its audit event. */
@Injectable()
export class InvitationExpiry extends MaintenanceTask {
  constructor(
    private readonly database: Database,
    private readonly invitations: InvitationsRepository,
    private readonly audits: InvitationAuditWriter,
  ) {
    super();
  }

  maintain(): Promise<number> {
    return this.database.transaction(async (tx) => {
      const expired = await this.invitations.expire(tx);
      for (const { id, organizationId, role } of expired) {
        await this.audits.done(
          { act: 'expire', actorUserId: null, organizationId, invitationId: id, requestedRole: role },
          tx,
        );
      }
      return expired.length;
    });
  }
}
