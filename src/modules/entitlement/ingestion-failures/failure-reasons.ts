/** The machine-readable reasons why ingestion was refused. */
export const FAILURE_REASONS = [
  'billing_inactive',
  'blocked',
  'limit_exceeded',
  'request_limit_exceeded',
  'daily_limit_exceeded',
  'rate_limited',
  'source_disabled',
  'project_archived',
  'invalid_signature',
  'timestamp_out_of_range',
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];
