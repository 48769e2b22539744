import { Injectable } from '@nestjs/common';
import type { OrganizationId, ProjectId } from '../../access/index.js';
import { Database, type Db } from '../../../platform/database/database.js';
import { newId } from '../../../platform/ids/index.js';
import { currentContext } from '../../../platform/telemetry/index.js';

/** An action to record. `detail` may hold only names and values that every reader of the audit log may see. */
export interface AuditedAct {
  readonly actorUserId: string | null;
  readonly organizationId: OrganizationId | null;
  readonly projectId?: ProjectId | null;
  readonly action: string;
  readonly targetType: string;
  readonly targetId: string | null;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Writes audit events in the transaction of the action, so that a rolled-back action leaves no event. */
@Injectable()
export class AuditWriter {
  constructor(private readonly database: Database) {}

  /** Writes the same action on several targets by one statement. */
  async recordEach(
    act: Omit<AuditedAct, 'targetId' | 'detail'>,
    targets: readonly Required<Pick<AuditedAct, 'targetId' | 'detail'>>[],
    tx: Db,
  ): Promise<void> {
    await this.database.execute(
      `INSERT INTO audit_events (id, actor_user_id, organization_id, project_id, action, target_type, target_id, detail, request_id, created_at)
       SELECT t.id, $1, $2, $3, $4, $5, t.target_id, t.detail::jsonb, $6, clock_timestamp()
       FROM unnest($7::uuid[], $8::text[], $9::text[]) AS t(id, target_id, detail)`,
      [
        act.actorUserId,
        act.organizationId,
        act.projectId ?? null,
        act.action,
        act.targetType,
        currentContext()?.requestId ?? null,
        targets.map(() => newId()),
        targets.map(({ targetId }) => targetId),
        targets.map(({ detail }) => JSON.stringify(detail)),
      ],
      tx,
    );
  }

  /**
   * Writes an event with the current time and not the start time of the transaction, so that actions that waited for
   * each other stay in order.
   */
  async record(act: AuditedAct, tx: Db): Promise<void> {
    await this.database.execute(
      `INSERT INTO audit_events (id, actor_user_id, organization_id, project_id, action, target_type, target_id, detail, request_id, created_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp())`,
      [
        newId(),
        act.actorUserId,
        act.organizationId,
        act.projectId ?? null,
        act.action,
        act.targetType,
        act.targetId,
        JSON.stringify(act.detail ?? {}),
        currentContext()?.requestId ?? null,
      ],
      tx,
    );
  }
}
