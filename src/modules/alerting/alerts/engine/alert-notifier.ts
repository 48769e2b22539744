import { Injectable } from '@nestjs/common';
import type { Db } from '../../../../platform/database/database.js';
import { Metrics } from '../../../../platform/telemetry/index.js';
import { type AlertNotification, FanOutService } from '../../fan-out/index.js';
import type { AlertEvent } from '../events/alert-event.entity.js';
import { AlertEventsRepository } from '../events/alert-events.repository.js';
import { TimelineRepository } from '../events/timeline.repository.js';
import { asOf } from '../machine/alert-machine.js';
import { type Suppression, suppressionOf, notifiesResolution } from '../machine/suppression.js';
import { resolvedMessage } from '../machine/resolved-message.js';
import { SilenceEvaluator, type Silencing } from '../silences/silence-evaluator.js';

/**
 * Silenced alert events are evaluated again after this time at the latest, because a silence may be ended or changed
 * early.
 */
const LOOK_AT_SILENCES_MS = 300_000;

/** Decides whether an alert event is notified, and enqueues its notifications. The caller has locked the row. */
@Injectable()
export class AlertNotifier {
  private readonly toNobody;
  private readonly unasked;

  constructor(
    private readonly events: AlertEventsRepository,
    private readonly timeline: TimelineRepository,
    private readonly silenced: SilenceEvaluator,
    private readonly notifications: FanOutService,
    metrics: Metrics,
  ) {
    this.toNobody = metrics.counter(
      'oes_alert_notices_to_nobody_total',
      'Notices of rules whose linked destinations and channels are all deleted or disabled',
    );
    this.unasked = metrics.counter(
      'oes_alert_notices_despite_silences_total',
      'Notices that were sent although not all silences could be asked in time',
    );
  }

  /** Notifies the occurrences that have not been notified, or stores when to evaluate them again. */
  async notify(alert: AlertEvent, now: Date, tx: Db): Promise<void> {
    let suppression = suppressionOf(alert, null, now);
    // Silences are evaluated last: in an alert storm, nearly everything is suppressed without them.
    if (suppression.kind === 'notify') {
      const silencing = await this.silenced.of(alert, tx);
      if (silencing.kind === 'later') return this.events.suppressUntil(alert, now, tx);
      suppression = suppressionOf(alert, silencing.kind === 'silenced' ? silencing.until : null, now);
      if (suppression.kind === 'notify') {
        const occurrences = alert.occurrences - alert.toldOccurrences;
        await this.events.markTold(alert, now, tx);
        await this.send(alert, occurrences, silencing, now, tx);
        return;
      }
    }
    const until = againAt(suppression, now);
    if (until?.getTime() !== alert.noticeDueAt?.getTime()) await this.events.suppressUntil(alert, until, tx);
  }

  /** Notifies the resolution, or stores when to evaluate it again. The alert event is resolved already. */
  async notifyResolved(alert: AlertEvent, now: Date, tx: Db): Promise<void> {
    if (!notifiesResolution(alert)) {
      if (alert.noticeDueAt !== null) await this.events.suppressUntil(alert, null, tx);
      return;
    }
    const silencing = await this.silenced.of(alert, tx);
    if (silencing.kind === 'later') return this.events.suppressUntil(alert, now, tx);
    if (silencing.kind === 'silenced' && silencing.until > now) {
      await this.events.suppressUntil(alert, againAt(silencing, now), tx);
      return;
    }
    await this.events.markResolveTold(alert, tx);
    await this.send(alert, alert.occurrences, silencing, now, tx);
  }

  private async send(alert: AlertEvent, occurrences: number, silencing: Silencing, now: Date, tx: Db): Promise<void> {
    const { status } = asOf(alert, now);
    const isDespiteSilences = silencing.kind === 'heard' && !silencing.areAllAsked;
    if (isDespiteSilences) this.unasked.inc();
    const { deliveryIds, attemptIds } = await this.notifications.enqueue(
      { alertEvent: notificationOf({ ...alert, status }, occurrences), targets: alert.targets },
      tx,
    );
    const told = deliveryIds.length + attemptIds.length;
    // A rule with linked recipients is expected to reach them, so a failure to do so is recorded. A rule without links
    // notifies the webhooks of the project, of which there may be none.
    if (told === 0 && alert.targets.kind === 'project') return;
    const detail = {
      status,
      occurrences,
      deliveries: deliveryIds.length,
      attempts: attemptIds.length,
      ...(isDespiteSilences && { silences_unasked: true }),
    };
    if (told === 0) this.toNobody.inc();
    await this.timeline.add(alert, { type: told === 0 ? 'nobody_notified' : 'notified', at: now, detail }, tx);
  }
}

function againAt(suppression: Suppression, now: Date): Date | null {
  if (suppression.kind === 'silenced')
    return new Date(Math.min(suppression.until.getTime(), now.getTime() + LOOK_AT_SILENCES_MS));
  return 'until' in suppression ? suppression.until : null;
}

/** Returns a notification, which reports the newest occurrence. */
function notificationOf(alert: AlertEvent, occurrences: number): AlertNotification {
  const { id: alertEventId, alertRuleId, ruleName, projectId, severity, status, createdAt, fingerprint } = alert;
  const { groupValues } = alert;
  const told = alert.newestOccurrence ?? alert;
  const { eventId, eventType, source, sourceId, eventAt = null, eventMessage = null, message, payload } = told;
  return {
    alertEventId,
    fingerprint,
    alertRuleId,
    ruleName,
    projectId,
    eventId,
    eventType,
    source,
    sourceId,
    eventAt: eventAt === null ? null : new Date(eventAt),
    eventMessage,
    groupValues,
    severity,
    status,
    message: status === 'resolved' ? resolvedMessage(alert, message) : message,
    payload,
    occurrences,
    createdAt,
    traceparent: alert.traceparent,
  };
}
