import { Injectable } from '@nestjs/common';
import type { ProjectMemberScope, ProjectScope } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { brokenRule } from '../../../../platform/http/validation/index.js';
import { currentContext } from '../../../../platform/telemetry/index.js';
import { newId } from '../../../../platform/ids/index.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { EventListReader } from '../../../events/event-store/index.js';
import { projectAct, ProjectAuthorization } from '../../../tenancy/projects/index.js';
import { AlertEventNotFound } from '../alerts.errors.js';
import { AlertRaiser, type AnyFiring } from '../engine/alert-raiser.js';
import { alertEventResponse, type AlertEventResponse, type RaiseAlertRequest } from '../events/alert-events.dto.js';
import { AlertReadsRepository } from '../events/alert-reads.repository.js';

/** The cooldown of alert events that people raise repeatedly under one fingerprint. */
const COOLDOWN_SECONDS = 300;

/** Raises alert events for people. Every enabled webhook destination of the project is notified. */
@Injectable()
export class ManualAlertsService {
  constructor(
    private readonly database: Database,
    private readonly reads: AlertReadsRepository,
    private readonly alerts: AlertRaiser,
    private readonly events: EventListReader,
    private readonly authorization: ProjectAuthorization,
    private readonly audit: AuditWriter,
  ) {}

  async raise(scope: ProjectMemberScope, request: RaiseAlertRequest): Promise<AlertEventResponse> {
    const { projectId, userId } = scope;
    const { message, severity, payload } = request;
    const firing: AnyFiring = {
      projectId,
      rule: { id: null, name: null, severity, cooldownSeconds: COOLDOWN_SECONDS, targets: { kind: 'project' } },
      fingerprint: `manual:${request.fingerprint ?? newId()}`,
      groupValues: {},
      event: await this.eventOf(scope, request),
      message,
      payload,
      actorUserId: userId,
      traceparent: currentContext()?.traceparent,
    };
    return this.database.transaction(async (tx) => {
      await this.authorization.lockAndAuthorize(scope, tx);
      const id = await this.alerts.fire(firing, tx);
      const target = { type: 'alert_event', id };
      await this.audit.record(projectAct(scope, 'alert_event.raised', { severity }, target), tx);
      const found = await this.reads.find(scope, id, tx);
      if (found === null) throw new AlertEventNotFound();
      return alertEventResponse(found);
    });
  }

  private async eventOf(scope: ProjectScope, request: RaiseAlertRequest): Promise<AnyFiring['event']> {
    const { event_id: id = null, event_type: type = null, source = null } = request;
    if (id === null) return { id, type, source, sourceId: null, timestamp: null };
    const event = await this.events.find(scope, id);
    if (event === null) throw brokenRule(['body', 'event_id'], 'the project has no event of this id', id);
    const { source_id: sourceId, timestamp } = event;
    return { id, type: type ?? event.event, source: source ?? event.source, sourceId, timestamp };
  }
}
