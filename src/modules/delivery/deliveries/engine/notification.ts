import type { ClaimedAttempt } from './claims.repository.js';

/** What receivers are told (DECISIONS 8); the same in every try of an attempt. */
export interface Notification {
  /** Of the notification: a replay or a drain repeats it, with an `attempt_id` of its own. */
  readonly id: string;
  readonly type: 'test' | 'rule_match';
  readonly attempt_id: string;
  readonly project_id: string;
  readonly channel_id: string;
  readonly rule: Record<string, unknown> | null;
  readonly event: Record<string, unknown> | null;
  readonly created_at: string;
}

export function notificationOf(attempt: ClaimedAttempt): Notification {
  return {
    id: attempt.parentAttemptId ?? attempt.id,
    type: attempt.kind,
    attempt_id: attempt.id,
    project_id: attempt.projectId,
    channel_id: attempt.channelId,
    rule: attempt.rule,
    event: attempt.event,
    created_at: attempt.createdAt.toISOString(),
  };
}
