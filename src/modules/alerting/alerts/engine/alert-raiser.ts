import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import type { Traceparent } from '../../../../platform/telemetry/index.js';
import { newId } from '../../../../platform/ids/index.js';
import type { NotificationTargets } from '../../fan-out/index.js';
import type { AlertSeverity, GroupValues, ToldOccurrence } from '../events/alert-event.entity.js';
import { AlertEventsRepository } from '../events/alert-events.repository.js';
import { TimelineRepository } from '../events/timeline.repository.js';
import { AlertLifecycleService } from './alert-lifecycle.service.js';
import { AlertNotifier } from './alert-notifier.js';

/** One firing of a rule, for one fingerprint. */
export interface Firing {
  readonly projectId: ProjectId;
  readonly rule: {
    readonly id: string;
    readonly name: string;
    readonly severity: AlertSeverity;
    readonly cooldownSeconds: number;
    readonly targets: NotificationTargets;
  };
  /** Identifies the rule and its group. */
  readonly fingerprint: string;
  readonly groupValues: GroupValues;
  /** The event of the first occurrence, which a new alert event shows. Null: no single event made the rule fire. */
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly source: string;
    /** The Event Source that sent the event; null: none did. */
    readonly sourceId?: string | null;
    readonly timestamp: Date;
    /** The message of the event. Left out or null when the event has no message or the message is not known. */
    readonly message?: string | null;
  } | null;
  readonly message: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The event of the last occurrence; by default that of the first. */
  readonly lastEventId?: string;
  /** The last occurrence, which notifications report; by default the first. */
  readonly newest?: ToldOccurrence;
  /** The number of occurrences; 1 by default. */
  readonly occurrences?: number;
  /**
   * True when the rule has fired before and still fires. The firing then counts as an occurrence only if the alert
   * event of the fingerprint has been resolved since.
   */
  readonly continues?: boolean;
}

/** A firing of a rule, or an alert that a person raised, which has no rule. */
export type AnyFiring = Omit<Firing, 'rule' | 'event'> & {
  readonly rule: Omit<Firing['rule'], 'id' | 'name'> & { readonly id: string | null; readonly name: string | null };
  readonly event: { readonly [K in keyof NonNullable<Firing['event']>]: NonNullable<Firing['event']>[K] | null } | null;
  /** The person who raised the alert by hand. */
  readonly actorUserId?: string;
  /** The trace of the request that raised the alert. By default that of the last event. */
  readonly traceparent?: Traceparent | undefined;
};

/** Raises and resolves alert events, in the transaction of the caller. */
@Injectable()
export class AlertRaiser {
  constructor(
    private readonly events: AlertEventsRepository,
    private readonly timeline: TimelineRepository,
    private readonly lifecycle: AlertLifecycleService,
    private readonly notifier: AlertNotifier,
  ) {}

  /**
   * Adds the occurrences to the unresolved alert event of the fingerprint, or creates one, and notifies its recipients.
   * @param tx a transaction that `Database.transaction` began
   * @returns the id of the alert event
   */
  async fire(firing: AnyFiring, tx: Db): Promise<string> {
    const { projectId, rule, fingerprint, groupValues, event, message, payload, occurrences = 1, actorUserId } = firing;
    const { lastEventId = event?.id ?? null, newest: newestOccurrence = null } = firing;
    if (firing.continues === true) {
      const known = await this.events.unresolvedOf(firing, fingerprint, tx);
      if (known !== null) return known;
    }
    const occurred = await this.events.occur(
      {
        id: newId(),
        projectId,
        alertRuleId: rule.id,
        ruleName: rule.name,
        fingerprint,
        groupValues,
        eventId: event?.id ?? null,
        eventAt: event?.timestamp ?? null,
        eventType: event?.type ?? null,
        eventMessage: event?.message ?? null,
        source: event?.source ?? null,
        sourceId: event?.sourceId ?? null,
        lastEventId,
        newestOccurrence,
        severity: rule.severity,
        message,
        payload,
        occurrences,
        cooldownSeconds: rule.cooldownSeconds,
        targets: rule.targets,
        traceparent: firing.traceparent ?? null,
      },
      tx,
    );
    const alert = await this.lifecycle.wake(occurred, tx);
    if (!occurred.isNew) {
      await this.notifier.notify(alert, occurred.now, tx);
      return alert.id;
    }
    const opened = { type: 'opened', at: alert.createdAt, detail: { occurrences } } as const;
    await this.timeline.add(alert, { ...opened, ...(actorUserId !== undefined && { actorUserId }) }, tx);
    const notifiedAt = await this.events.takeCooldown(alert, tx);
    await this.notifier.notify({ ...alert, notifiedAt }, occurred.now, tx);
    return alert.id;
  }

  /** Resolves the unresolved alert event of the fingerprint, if this rule has raised it: the rule no longer fires. */
  async recover(
    { projectId, ruleId, fingerprint }: { projectId: ProjectId; ruleId: string; fingerprint: string },
    tx: Db,
  ): Promise<void> {
    const held = await this.events.lockUnresolved({ projectId }, fingerprint, tx);
    if (held?.alert.alertRuleId !== ruleId) return;
    await this.lifecycle.move(held, { kind: 'resolve' }, { detail: { by: 'rule' } }, tx);
  }

  /** Returns the ids of the given rules that have an unresolved alert event. */
  async unresolved(
    tenant: { readonly projectId: ProjectId },
    ruleIds: readonly string[],
    db?: Db,
  ): Promise<ReadonlySet<string>> {
    return new Set(await this.events.withUnresolved(tenant, ruleIds, db));
  }
}
