import { Injectable } from '@nestjs/common';
import type { TryOutcome } from '../../../delivery/sending/index.js';
import { addressed } from '../../../delivery/templates/index.js';
import type { StoredNotice } from './notice.js';
import type { DestinationDriver, DestinationMessage } from './destination-driver.js';
import { SignedPostClient } from './signed-post.client.js';

/** Sends to a webhook of the project. Webhooks also get every alert that is linked to no recipients. */
@Injectable()
export class AlertWebhookDriver implements DestinationDriver {
  static readonly hearsAllAlerts = true;

  constructor(private readonly posts: SignedPostClient) {}

  maskOf(): null {
    return null;
  }

  send(message: DestinationMessage, deadlineMs: number): Promise<TryOutcome> {
    const { destination, notice, rendered } = message;
    const { url, body } = addressed(rendered ?? { body: webhookBody(notice), closing: null }, destination.url);
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

export function webhookBody(notice: StoredNotice): AlertWebhookBody {
  return {
    alert_event_id: notice.alertEventId,
    alert_rule_id: notice.alertRuleId,
    project_id: notice.projectId,
    event_id: notice.eventId,
    event_type: notice.eventType,
    source: notice.source,
    severity: notice.severity,
    status: notice.status,
    message: notice.message,
    payload: payloadOf(notice),
    created_at: notice.createdAt,
  };
}

/**
 * Sets `occurrences` in the payload if there are several, because the body has no field for their number. A member of
 * the same name is overwritten.
 */
function payloadOf({ payload, occurrences }: StoredNotice): Readonly<Record<string, unknown>> | null {
  return occurrences > 1 ? { ...payload, occurrences } : payload;
}
