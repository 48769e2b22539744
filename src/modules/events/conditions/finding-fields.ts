import type { Vocabulary } from './filter.js';

/** The kinds of findings of Sentinel that conditions can name. */
export const FINDING_KINDS = [
  'rate_spike',
  'rate_drop',
  'silence',
  'error_burst',
  'latency_shift',
  'new_event_type',
  'cardinality_explosion',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** The severities, from the least to the most severe. */
export const FINDING_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** The fields of a finding that conditions of kind `anomaly` may name. */
export const FINDING_FIELDS = {
  kind: 'text',
  severity: 'text',
  series_type: 'text',
  series_value: 'text',
  metric: 'text',
  score: 'number',
  actual: 'number',
  expected: 'number',
} as const satisfies Vocabulary;
