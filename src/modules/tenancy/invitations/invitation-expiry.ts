import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { MaintenanceTask } from '../../../platform/maintenance/maintenance-task.js';
import { InvitationAuditWriter } from './invitation-audit.writer.js';
import { InvitationsRepository } from './invitations.repository.js';

/**
 * Stores the status `expired` of expired invitations, and writes their audit events. Reads report this status earlier,
 * as soon as an invitation has expired.
 */
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
