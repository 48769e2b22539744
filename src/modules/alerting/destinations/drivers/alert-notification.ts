import type { Traceparent } from '../../../../platform/telemetry/index.js';
import type { ProjectId } from '../../../access/index.js';
/** A notification of an alert event in its current state. */
export interface AlertNotification {
  readonly alertEventId: string;
  /**
   * Notifications of one fingerprint reach a destination in order. Without a fingerprint they are sent in any order.
   */
  readonly fingerprint?: string;
  /** Null, like `ruleName`, when a person raised the alert. */
  readonly alertRuleId: string | null;
  readonly ruleName: string | null;
  readonly projectId: ProjectId;
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly source: string | null;
  /** The Event Source of the event. */
  readonly sourceId: string | null;
  /** The timestamp and the message of the event itself; `message` is that of the alert. */
  readonly eventAt: Date | null;
  readonly eventMessage: string | null;
  /** The values of the fields that the rule groups by. */
  readonly groupValues: Readonly<Record<string, unknown>>;
  readonly severity: string | null;
  readonly status: string | null;
  readonly message: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** How many occurrences this notification reports. */
  readonly occurrences: number;
  readonly createdAt: Date;
  /** The trace that the deliveries continue. It is not part of the notification. */
  readonly traceparent: Traceparent | null;
}

/** The members that a notification lacks when an older version has stored it. */
type NewMembers = 'eventAt' | 'eventMessage' | 'groupValues';

/** A notification as the database stores it. The notification of a test has no alert event. */
export type StoredNotification = Omit<
  AlertNotification,
  'createdAt' | 'alertEventId' | 'fingerprint' | 'traceparent' | NewMembers
> & {
  readonly alertEventId: string | null;
  readonly createdAt: string;
  readonly eventAt?: string | null;
} & Partial<Pick<AlertNotification, 'eventMessage' | 'groupValues'>>;

export function storedNotification({
  fingerprint: _,
  traceparent: _trace,
  ...notification
}: AlertNotification): StoredNotification {
  return {
    ...notification,
    eventAt: notification.eventAt?.toISOString() ?? null,
    createdAt: notification.createdAt.toISOString(),
  };
}

/** Returns the notification that tests a destination. */
export function testNotification(projectId: ProjectId, now: Date): StoredNotification {
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
