import { Injectable, Logger } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { AuditWriter } from '../../../identity/audit/index.js';
import { RuleMetrics } from '../outcomes/rule-metrics.js';
import { OutboxRepository } from './outbox.repository.js';

/** Why an event is no longer evaluated, or an alert no longer raised. */
export type SetAsideReason = 'ended_a_worker' | 'took_too_long' | 'failed';

/**
 * Gives up events and alerts that block the others, and records each in the log, in a metric and in the audit records.
 */
@Injectable()
export class SetAsideService {
  private readonly logger = new Logger('alert-rules');

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly audit: AuditWriter,
    private readonly metrics: RuleMetrics,
  ) {}

  /** Records that no rule will be evaluated for the event again. */
  async event(projectId: ProjectId, eventId: string | null, reason: SetAsideReason, tx: Db): Promise<void> {
    this.logger.error(
      `event ${eventId} of project ${projectId} is set aside, no rule is asked about it again: ${reason}`,
    );
    this.metrics.skippedOne('event');
    await this.record(projectId, 'alert_rules.event_set_aside', eventId, { reason }, tx);
  }

  /** Records that nobody will be notified that the rule has fired. */
  async alert(
    projectId: ProjectId,
    { ruleId, eventId }: { readonly ruleId: string; readonly eventId: string | null },
    reason: SetAsideReason,
    error: unknown,
    tx: Db,
  ): Promise<void> {
    this.logger.error(
      `an alert of rule ${ruleId} of project ${projectId} cannot be raised and is left out (${reason}): ${String(error)}`,
    );
    this.metrics.skippedOne('alert');
    await this.record(projectId, 'alert_rules.alert_set_aside', eventId, { reason, alert_rule_id: ruleId }, tx);
  }

  private async record(
    projectId: ProjectId,
    action: string,
    eventId: string | null,
    detail: Readonly<Record<string, unknown>>,
    tx: Db,
  ): Promise<void> {
    const organizationId = await this.outbox.organizationOf(projectId, tx);
    if (organizationId === null) return;
    const of = { actorUserId: null, organizationId, projectId };
    await this.audit.record({ ...of, action, targetType: 'event', targetId: eventId, detail }, tx);
  }
}
