import { Inject, Injectable } from '@nestjs/common';
import { Database, type Db } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import { DeliveryRequests, type RuleMatches } from '../../../delivery/deliveries/index.js';
import { DeliveriesRepository } from '../deliveries/deliveries.repository.js';
import type { AlertDestination } from '../destinations/destination.entity.js';
import { ALERT_DELIVERY_ENGINE, type AlertDeliveryEngine } from '../engine/alert-delivery.outbox.js';
import { type AlertNotice, storedNotice } from './alert-notice.js';

/** Who is told (SERVICE 6.3, DECISIONS 9). */
export type NoticeTargets =
  /** Every enabled webhook destination of the project. */
  | { readonly kind: 'project' }
  /** The enabled webhook and Slack destinations of the list, and the channels. */
  | { readonly kind: 'linked'; readonly destinationIds: readonly string[]; readonly channelIds: readonly string[] };

export interface NoticeToEnqueue {
  readonly alertEvent: AlertNotice;
  readonly targets: NoticeTargets;
}

/** What has become of a notice: the ids of its deliveries, and of its attempts on channels. */
export interface EnqueuedNotice {
  readonly deliveryIds: readonly string[];
  readonly attemptIds: readonly string[];
}

type Target = Pick<AlertDestination, 'id' | 'name' | 'type'>;

/** How alerts are told: rows in the transaction of the alert, sent after its commit. */
@Injectable()
export class AlertNotices {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly channels: DeliveryRequests,
    @Inject(ALERT_DELIVERY_ENGINE) private readonly engine: AlertDeliveryEngine,
  ) {}

  /** `tx` must be one of `Database.transaction`. Destinations and channels that are gone are passed over. */
  async enqueue({ alertEvent, targets }: NoticeToEnqueue, tx: Db): Promise<EnqueuedNotice> {
    const destinations = await this.enabled(alertEvent.projectId, targets, tx);
    const made = destinations.map((destination) => ({ id: newId(), destination }));
    if (made.length > 0) {
      const json = JSON.stringify(storedNotice(alertEvent));
      await this.deliveries.insert(alertEvent, { id: newId(), alertEventId: alertEvent.alertEventId, json }, made, tx);
      this.engine.wakeAfterCommit(
        made.map(({ destination }) => ({ tenant: alertEvent.projectId, lane: destination.id })),
        tx,
      );
    }
    const channelIds = targets.kind === 'linked' ? targets.channelIds : [];
    const attemptIds = await this.channels.ruleMatches(tx, ruleMatchOf(alertEvent), channelIds);
    return { deliveryIds: made.map(({ id }) => id), attemptIds };
  }

  /** Held against deletion while the transaction lasts. */
  private enabled(projectId: string, targets: NoticeTargets, tx: Db): Promise<Target[]> {
    const isProject = targets.kind === 'project';
    if (targets.kind === 'linked' && targets.destinationIds.length === 0) return Promise.resolve([]);
    return this.database.rows<Target>(
      `SELECT id, name, type FROM alert_destinations
       WHERE project_id = $1 AND is_enabled AND ${isProject ? `type = 'webhook'` : 'id = ANY($2::uuid[])'}
       ORDER BY id FOR KEY SHARE`,
      isProject ? [projectId] : [projectId, targets.destinationIds],
      tx,
    );
  }
}

/** What channels read of the alert: who fired under `rule`, what is to be told under `event`. */
function ruleMatchOf(alert: AlertNotice): RuleMatches {
  const { projectId, alertRuleId: ruleId, eventId, sourceId, severity, source, message, payload } = alert;
  const { occurrences, status } = alert;
  return {
    projectId,
    ruleId,
    eventId,
    sourceId,
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
      occurrences,
      created_at: alert.createdAt.toISOString(),
    },
  };
}
