import { Injectable } from '@nestjs/common';
import type { TryOutcome } from '../../../delivery/sending/index.js';
import { addressed } from '../../../delivery/templates/index.js';
import type { StoredNotification } from './alert-notification.js';
import type { DestinationDriver, DestinationMessage } from './destination-driver.js';
import { SignedPostClient } from './signed-post.client.js';

/** Sends to a webhook of the project. Webhooks also get every alert of rules without linked recipients. */
@Injectable()
export class AlertWebhookDriver implements DestinationDriver {
  static readonly hearsAllAlerts = true;

  constructor(private readonly posts: SignedPostClient) {}

  maskOf(): null {
    return null;
  }

  send(message: DestinationMessage, deadlineMs: number): Promise<TryOutcome> {
    const { destination, notification, rendered } = message;
    const { url, body } = addressed(rendered ?? { body: webhookBody(notification), closing: null }, destination.url);
    return this.posts.send({ ...message, destination: { ...destination, url, shownUrl: url } }, body, deadlineMs);
  }
}

/** The body that webhooks receive. */
export interface AlertWebhookBody {
  readonly alert_event_id: string | null;
  readonly alert_rule_id: string | null;
  readonly project_id: string;
  readonly event_id: string | null;
  readonly event_type: string | null;
  readonly source: string | null;
  readonly severity: string | null;
  readonly status: string | null;
  readonly message: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly created_at: string;
}

export function webhookBody(notification: StoredNotification): AlertWebhookBody {
  return {
    alert_event_id: notification.alertEventId,
    alert_rule_id: notification.alertRuleId,
    project_id: notification.projectId,
    event_id: notification.eventId,
    event_type: notification.eventType,
    source: notification.source,
    severity: notification.severity,
    status: notification.status,
    message: notification.message,
    payload: payloadOf(notification),
    created_at: notification.createdAt,
  };
}

/**
 * Sets `occurrences` in the payload if there are several, because the body has no field for their number. A member of
 * the same name is overwritten.
 */
function payloadOf({ payload, occurrences }: StoredNotification): Readonly<Record<string, unknown>> | null {
  return occurrences > 1 ? { ...payload, occurrences } : payload;
}
