import { Injectable } from '@nestjs/common';
import type { Db } from '../../../platform/database/database.js';
import { DeliveryRequestService, type RuleMatches } from '../../delivery/deliveries/index.js';
import { AlertDeliveryRequestService, type AlertNotification } from '../destinations/index.js';

/** The recipients that an alert notifies. */
export type NotificationTargets =
  /** Every enabled webhook destination of the project. */
  | { readonly kind: 'project' }
  /** The enabled webhook and Slack destinations of the list, and the listed channels. */
  | { readonly kind: 'linked'; readonly destinationIds: readonly string[]; readonly channelIds: readonly string[] };

interface NotificationToEnqueue {
  readonly alertEvent: AlertNotification;
  readonly targets: NotificationTargets;
}

/** The ids of the deliveries of a notification to destinations, and of its attempts on channels. */
interface EnqueuedNotification {
  readonly deliveryIds: readonly string[];
  readonly attemptIds: readonly string[];
}

/** Notifies destinations and channels: inserts rows in the transaction of the alert, to be sent after its commit. */
@Injectable()
export class FanOutService {
  constructor(
    private readonly destinations: AlertDeliveryRequestService,
    private readonly channels: DeliveryRequestService,
  ) {}

  /** Inserts the rows. `Database.transaction` must have begun `tx`. Deleted destinations and channels are skipped. */
  async enqueue({ alertEvent, targets }: NotificationToEnqueue, tx: Db): Promise<EnqueuedNotification> {
    const deliveryIds = await this.destinations.request(alertEvent, targets, tx);
    const channelIds = targets.kind === 'linked' ? targets.channelIds : [];
    const attemptIds = await this.channels.ruleMatches(tx, ruleMatchOf(alertEvent), channelIds);
    return { deliveryIds, attemptIds };
  }
}

/**
 * Returns the notification that channels get for an alert: `rule` is the rule that fired, `event` is the alert itself.
 */
function ruleMatchOf(alert: AlertNotification): RuleMatches {
  const { projectId, alertRuleId: ruleId, eventId, sourceId, severity, source, message, payload, fingerprint } = alert;
  const { occurrences, status, traceparent, groupValues: group } = alert;
  return {
    projectId,
    ruleId,
    eventId,
    sourceId,
    fingerprint,
    traceparent,
    rule: { id: ruleId, name: alert.ruleName, severity },
    event: {
      alert_event_id: alert.alertEventId,
      id: eventId,
      type: alert.eventType,
      source,
      severity,
      status,
      message,
      payload,
      group,
      event_message: alert.eventMessage,
      event_at: alert.eventAt?.toISOString() ?? null,
      occurrences,
      created_at: alert.createdAt.toISOString(),
    },
  };
}
