import { Injectable } from '@nestjs/common';
import type { ProjectId } from '../../../access/index.js';
import type { Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import type { NoticeTargets } from '../../fan-out/index.js';
import type { AlertSeverity, GroupValues, ToldOccurrence } from '../events/alert-event.entity.js';
import { AlertEventsRepository } from '../events/alert-events.repository.js';
import { TimelineRepository } from '../events/timeline.repository.js';
import { AlertLifecycleService } from './alert-lifecycle.service.js';
import { AlertNotifier } from './alert-notifier.js';

/** Something happened that somebody has to look at. */
export interface Firing {
  readonly projectId: ProjectId;
  readonly rule: {
    readonly id: string;
    readonly name: string;
    readonly severity: AlertSeverity;
    readonly cooldownSeconds: number;
    readonly targets: NoticeTargets;
  };
  /** Of the rule and its group. */
  readonly fingerprint: string;
  readonly groupValues: GroupValues;
  /** The first of the occurrences, which a new alert event tells of. Null: no single event did it. */
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly source: string;
    /** Its Event Source; null: none sent it. */
    readonly sourceId?: string | null;
    readonly timestamp: Date;
  } | null;
  readonly message: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The event of the last occurrence; that of the first when left out. */
  readonly lastEventId?: string;
  /** The last of the occurrences, which notices report; the first when left out. */
  readonly newest?: ToldOccurrence;
  /** 1 when left out. */
  readonly occurrences?: number;
  /** The rule fired before and still does: nothing new, unless that alert event was resolved meanwhile. */
  readonly continues?: boolean;
}

/** A firing of a rule, or of nobody but the person who raised it. */
export type AnyFiring = Omit<Firing, 'rule' | 'event'> & {
  readonly rule: Omit<Firing['rule'], 'id' | 'name'> & { readonly id: string | null; readonly name: string | null };
  readonly event: { readonly [K in keyof NonNullable<Firing['event']>]: NonNullable<Firing['event']>[K] | null } | null;
  /** Who raised it by hand. */
  readonly actorUserId?: string;
};

/** How alerts are raised and ended, in the transaction of whoever found out. */
@Injectable()
export class AlertRaiser {
  constructor(
    private readonly events: AlertEventsRepository,
    private readonly timeline: TimelineRepository,
    private readonly lifecycle: AlertLifecycleService,
    private readonly notifier: AlertNotifier,
  ) {}

  /**
   * The unresolved alert event of the fingerprint takes the occurrences, else a new one begins; whom it concerns is told.
   * @param tx one of `Database.transaction`
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

  /** What the rule fired for is over: its unresolved alert event, if there is one, is resolved. */
  async recover(
    { projectId, ruleId, fingerprint }: { projectId: ProjectId; ruleId: string; fingerprint: string },
    tx: Db,
  ): Promise<void> {
    const held = await this.events.lockUnresolved({ projectId }, fingerprint, tx);
    if (held?.alert.alertRuleId !== ruleId) return;
    await this.lifecycle.move(held, { kind: 'resolve' }, { detail: { by: 'rule' } }, tx);
  }

  /** Those of the rules that have an alert event which is not resolved. */
  async unresolved(
    tenant: { readonly projectId: ProjectId },
    ruleIds: readonly string[],
    db?: Db,
  ): Promise<ReadonlySet<string>> {
    return new Set(await this.events.withUnresolved(tenant, ruleIds, db));
  }
}
