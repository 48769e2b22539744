import { Injectable } from '@nestjs/common';
import { MembershipReader, type ProjectMemberScope } from '../../../access/index.js';
import { Database, type Db } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { AlertEventNotFound, AssigneeIsNoMember, MOVE_ERRORS } from '../alerts.errors.js';
import { AlertLifecycleService, ENTRY_OF } from '../engine/alert-lifecycle.service.js';
import type { AlertMove } from '../machine/alert-machine.js';
import { alertEventResponse, type AlertEventResponse } from '../events/alert-events.dto.js';
import { AlertEventsRepository, type HeldAlert } from '../events/alert-events.repository.js';
import { TimelineRepository } from '../events/timeline.repository.js';

/** Changes one alert event for a member of its project, under its row lock, with timeline entry and audit record. */
@Injectable()
export class AlertChangesService {
  constructor(
    private readonly database: Database,
    private readonly events: AlertEventsRepository,
    private readonly timeline: TimelineRepository,
    private readonly lifecycle: AlertLifecycleService,
    private readonly authorization: ProjectAuthorization,
    private readonly memberships: MembershipReader,
    private readonly audit: AuditWriter,
  ) {}

  move(
    scope: ProjectMemberScope,
    id: string,
    wish: AlertMove,
    note: string | null | undefined,
  ): Promise<AlertEventResponse> {
    return this.change(scope, id, async (held, tx) => {
      const detail = wish.kind === 'snooze' ? { until: wish.until.toISOString() } : {};
      const by = { actorUserId: scope.userId, note: note ?? undefined, detail };
      const fault = await this.lifecycle.move(held, wish, by, tx);
      if (fault !== null) throw new MOVE_ERRORS[fault]();
      await this.record(scope, ENTRY_OF[wish.kind], id, detail, tx);
    });
  }

  /** Assigns the alert event. Nothing is recorded when the person is its assignee already. */
  assign(scope: ProjectMemberScope, id: string, userId: string | null): Promise<AlertEventResponse> {
    return this.change(scope, id, async ({ alert, now }, tx) => {
      if (userId !== null) {
        const membership = await this.memberships.ofProject(userId, scope.projectId, tx);
        if (membership === null || membership.role === null) throw new AssigneeIsNoMember();
      }
      if (alert.assigneeId === userId) return;
      await this.events.assign(alert, userId, tx);
      const type = userId === null ? 'unassigned' : 'assigned';
      const detail = { assignee_id: userId ?? alert.assigneeId };
      await this.timeline.add(alert, { type, at: now, actorUserId: scope.userId, detail }, tx);
      await this.record(scope, type, id, detail, tx);
    });
  }

  comment(scope: ProjectMemberScope, id: string, body: string): Promise<AlertEventResponse> {
    return this.change(scope, id, async ({ alert, now }, tx) => {
      await this.timeline.add(alert, { type: 'commented', at: now, actorUserId: scope.userId, note: body }, tx);
      await this.record(scope, 'commented', id, {}, tx);
    });
  }

  private change(
    scope: ProjectMemberScope,
    id: string,
    work: (held: HeldAlert, tx: Db) => Promise<void>,
  ): Promise<AlertEventResponse> {
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      await work(await this.held(scope, id, tx), tx);
      return alertEventResponse(await this.held(scope, id, tx));
    });
  }

  private async held(scope: ProjectMemberScope, id: string, tx: Db): Promise<HeldAlert> {
    const held = await this.events.lock(scope, id, tx);
    if (held === null) throw new AlertEventNotFound();
    return held;
  }

  private async record(
    scope: ProjectMemberScope,
    act: string,
    id: string,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    await this.audit.record(projectAct(scope, `alert_event.${act}`, detail, { type: 'alert_event', id }), tx);
  }
}
