/** SERVICE 2.10. */
export const ATTEMPT_STATUSES = ['pending', 'sent', 'failed'] as const;
export type AttemptStatus = (typeof ATTEMPT_STATUSES)[number];

export const ATTEMPT_KINDS = ['test', 'rule_match'] as const;
export type AttemptKind = (typeof ATTEMPT_KINDS)[number];

export const RETRY_STATES = ['pending', 'retryable', 'scheduled_retry', 'retry_exhausted', 'dlq', 'terminal'] as const;
export type RetryState = (typeof RETRY_STATES)[number];
/** `retryable` is what a scheduled retry reads as once it is due and unclaimed. */
export type StoredRetryState = Exclude<RetryState, 'retryable'>;

/** Who holds an attempt; one slot, so that worker and operator exclude each other. */
export const CLAIM_KINDS = ['worker', 'retry_now', 'dlq_drain', 'test'] as const;
export type ClaimKind = (typeof CLAIM_KINDS)[number];

/** How an operator had a new attempt made of a failed one. */
export const RECOVERIES = ['replay', 'dlq_drain'] as const;
export type Recovery = (typeof RECOVERIES)[number];

export const RETRY_AUDIT_STATUSES = ['claimed', 'dispatched', 'failed', 'exhausted', 'skipped'] as const;
export type RetryAuditStatus = (typeof RETRY_AUDIT_STATUSES)[number];
