import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import { currentContext } from '../../../../platform/telemetry/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct } from '../../../tenancy/projects/index.js';
import type { Recovery } from '../attempts/attempt-states.js';
import { RecoveryAudit } from './recovery-audit.entity.js';

/** Records replays and drains, in the transaction that inserts the new attempt. */
@Injectable()
export class RecoveryAuditWriter {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditWriter,
  ) {}

  async record(
    scope: ProjectMemberScope,
    action: Recovery,
    { sourceId, createdId }: { readonly sourceId: string; readonly createdId: string },
    tx: Db,
  ): Promise<RecoveryAudit> {
    const id = newId();
    await this.database.repository(RecoveryAudit, tx).insert({
      id,
      projectId: scope.projectId,
      action,
      sourceAttemptId: sourceId,
      createdAttemptId: createdId,
      actorUserId: scope.userId,
      requestId: currentContext()?.requestId ?? null,
    });
    const target = { type: 'delivery_attempt', id: sourceId };
    await this.audit.record(projectAct(scope, `delivery.${action}`, { created_attempt_id: createdId }, target), tx);
    return this.database.repository(RecoveryAudit, tx).findOneByOrFail({ projectId: scope.projectId, id });
  }
}
