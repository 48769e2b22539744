import { Injectable } from '@nestjs/common';
import { asProjectId } from '../../../access/index.js';
import { Database } from '../../../../platform/database/database.js';
import { newId } from '../../../../platform/ids/index.js';
import { parseExact } from '../../../../platform/json/index.js';
import type { JobQueue } from '../../../../platform/queue/index.js';
import {
  ClaimsWriter,
  failedTry,
  type SendingLane,
  type Outbox,
  type SendingEngine,
  type TryOutcome,
} from '../../../delivery/sending/index.js';
import type { StoredNotification } from '../drivers/alert-notification.js';
import { AlertNotificationSender } from '../destinations/alert-notification.sender.js';
import { alertDeliveriesJob, alertDeliveryWakeJob } from './deliveries.jobs.js';
import { ALERT_DELIVERIES, type ExpiredDelivery, type HeldDelivery } from './delivery.table.js';

/** The engine that sends alert deliveries; injected by this token. */
export const ALERT_DELIVERY_ENGINE = Symbol('AlertDeliveryEngine');
export type AlertDeliveryEngine = SendingEngine<ExpiredDelivery, HeldDelivery>;

/** The time limit of a whole send, from name resolution to the end of the answer. */
const DEADLINE_MS = 5_000;

/** The outbox of alert deliveries: sends each one to its destination. */
@Injectable()
export class AlertDeliveryOutbox implements Outbox<ExpiredDelivery, HeldDelivery> {
  readonly profile = {
    log: {
      context: 'alert-deliveries',
      row: 'alert delivery',
      claims: 'claims on alert deliveries',
      trouble: 'a look for due alert deliveries failed',
    },
    metrics: {
      prefix: 'oes_alert_delivery',
      one: 'alert delivery',
      many: 'Alert deliveries',
      labels: [],
      labelsOf: () => ({}),
    },
    limits: { all: 100, tenant: 40, lane: 5 },
    look: alertDeliveriesJob,
    wake: wakeUps,
  };
  readonly claims;

  constructor(
    database: Database,
    private readonly sender: AlertNotificationSender,
  ) {
    this.claims = new ClaimsWriter(database, ALERT_DELIVERIES);
  }

  async send(held: HeldDelivery, deadlineMs: number): Promise<TryOutcome> {
    const { id: deliveryId, lane: id, tenant, type, isEnabled, notice } = held;
    if (type === null) return failedTry('refused', 'destination_deleted');
    if (!isEnabled) return failedTry('refused', 'destination_disabled');
    const { targetUrl, sealedUrl, secret, previousSecret, previousSecretUntil, template, templateUrl, project } = held;
    const projectId = asProjectId(tenant);
    const secrets = { secret, previousSecret, previousSecretUntil };
    const destination = { id, projectId, type, targetUrl, sealedUrl, ...secrets, template, templateUrl };
    const message = {
      destination,
      notification: parseExact(notice) as StoredNotification,
      deliveryId,
      attempt: held.retryCount + 1,
      project,
    };
    return this.sender.send(message, Math.min(DEADLINE_MS, deadlineMs));
  }
}

/** Adds one job for each destination, with a new id: the queue drops a job whose id is that of a running one. */
function wakeUps(lanes: readonly SendingLane[], queue: JobQueue): Promise<void>[] {
  return lanes.map(({ tenant, lane }) =>
    queue.add(alertDeliveryWakeJob, { project_id: tenant, destination_id: lane }, { jobId: `wake-${newId()}` }),
  );
}
