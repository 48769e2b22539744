export const ATTEMPT_STATUSES = ['pending', 'sent', 'failed'] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

export const ATTEMPT_KINDS = ['test', 'rule_match'] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];

export const RETRY_STATES = ['pending', 'retryable', 'scheduled_retry', 'retry_exhausted', 'dlq', 'terminal'] as const;
export type RetryState = (typeof RETRY_STATES)[number];
/** `retryable` is never stored: a scheduled retry is shown as `retryable` once it is due and unclaimed. */
export type StoredRetryState = Exclude<RetryState, 'retryable'>;

/**
 * The kinds of claims. An attempt has at most one claim at a time, so a worker and an operator never send it at once.
 */
export const CLAIM_KINDS = ['worker', 'retry_now', 'dlq_drain', 'test'] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** The actions by which an operator makes a new attempt of a failed one. */
export const RECOVERIES = ['replay', 'dlq_drain'] as const;
export type Recovery = (typeof RECOVERIES)[number];

export const RETRY_AUDIT_STATUSES = ['claimed', 'dispatched', 'failed', 'exhausted', 'skipped'] as const;
export type RetryAuditStatus = (typeof RETRY_AUDIT_STATUSES)[number];
