import type { ProjectId } from '../../../access/index.js';
/** What is to be told of an alert event, as it is now. */
export interface AlertNotice {
  readonly alertEventId: string;
  /** Null for an alert raised by hand; so is the name. */
  readonly alertRuleId: string | null;
  readonly ruleName: string | null;
  readonly projectId: ProjectId;
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly source: string | null;
  /** The Event Source of the event. */
  readonly sourceId: string | null;
  readonly severity: string | null;
  readonly status: string | null;
  readonly message: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** How many occurrences this notice stands for. */
  readonly occurrences: number;
  readonly createdAt: Date;
}

/** The notice as the database keeps it; a test has no alert event. */
export type StoredNotice = Omit<AlertNotice, 'createdAt' | 'alertEventId'> & {
  readonly alertEventId: string | null;
  readonly createdAt: string;
};

export function storedNotice(notice: AlertNotice): StoredNotice {
  return { ...notice, createdAt: notice.createdAt.toISOString() };
}

/** What receivers of webhooks read (SERVICE 6.3). */
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

/** The body has no field of its own for how many occurrences a notice stands for: the payload's is always ours. */
function payloadOf({ payload, occurrences }: StoredNotice): Readonly<Record<string, unknown>> | null {
  return occurrences > 1 ? { ...payload, occurrences } : payload;
}

/** What a destination is sent to be tried out. */
export function testNotice(projectId: ProjectId, now: Date): StoredNotice {
  return {
    alertEventId: null,
    alertRuleId: null,
    ruleName: null,
    projectId,
    eventId: null,
    eventType: null,
    source: null,
    sourceId: null,
    severity: 'info',
    status: null,
    message: 'Test notification: alerts of this project reach this destination.',
    payload: { test: true },
    occurrences: 1,
    createdAt: now.toISOString(),
  };
}
