import type { ProjectId } from '../../../access/index.js';
/** What is to be told of an alert event, as it is now. */
export interface AlertNotice {
  readonly alertEventId: string;
  /** Notices of one fingerprint reach a destination in order. */
  readonly fingerprint?: string;
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
export type StoredNotice = Omit<AlertNotice, 'createdAt' | 'alertEventId' | 'fingerprint'> & {
  readonly alertEventId: string | null;
  readonly createdAt: string;
};

export function storedNotice({ fingerprint: _, ...notice }: AlertNotice): StoredNotice {
  return { ...notice, createdAt: notice.createdAt.toISOString() };
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
